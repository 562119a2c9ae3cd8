/** Anthropic's oracle with one rule wrong each; the table of its cases has to notice. */
import type { CacheMeasure, CacheOracle } from "../../src/index.ts"
import type { ContentBlock, MessagesBody } from "../../src/anthropic-messages/request-body.ts"
import type { PlantedError } from "./rules.ts"

type Spoil = PlantedError<CacheOracle>["spoil"]

const misread =
  (change: (body: MessagesBody) => MessagesBody): Spoil =>
  (right) => ({
    ...right,
    measure: (body, nowMs, tokensMin) => right.measure(change(body), nowMs, tokensMin),
  })

const eachBlock = (body: MessagesBody, change: (block: ContentBlock) => ContentBlock): MessagesBody => ({
  ...body,
  messages: body.messages.map((message) => ({
    ...message,
    content: typeof message.content === "string" ? message.content : message.content.map(change),
  })),
})

const allMarked = (body: MessagesBody) =>
  eachBlock(body, (block) => ({ cache_control: { type: "ephemeral" }, ...block }) as ContentBlock)

const withoutTtl = <T extends object>(block: T): T =>
  "cache_control" in block ? { ...block, cache_control: { type: "ephemeral" } } : block

const same = (text: string): string => "a".repeat(text.length)

/** The end of the text is not looked at. */
const blurred = (block: ContentBlock): ContentBlock =>
  block.type === "text" ? { ...block, text: `${block.text.slice(0, -1)}.` } : block

/** Looks from every block, and so at any distance from a marker. */
const farSighted: Spoil = (right) => ({
  ...right,
  measure(body, nowMs, tokensMin): CacheMeasure {
    const { usage, ...rest } = right.measure(body, nowMs, tokensMin)
    const { read } = right.measure(allMarked(body), nowMs, tokensMin).usage
    return { ...rest, usage: { ...usage, read, write5m: usage.write5m + usage.read - read } }
  },
})

const neverRefreshed: Spoil = (right) => {
  const written = new Set<string>()
  return {
    ...right,
    commit(measure, nowMs, visibleAtMs) {
      const touched = measure.touched.filter(({ hash }) => !written.has(hash))
      for (const { hash } of touched) written.add(hash)
      right.commit({ ...measure, touched }, nowMs, visibleAtMs)
    },
  }
}

export const anthropicPlanted: readonly PlantedError<CacheOracle>[] = [
  {
    title: "no eye for the last letter",
    rule: "anthropic.match",
    spoil: misread((body) => eachBlock(body, blurred)),
  },
  { title: "entries at every block", rule: "anthropic.read_only_at", spoil: misread(allMarked) },
  { title: "a look-back without end", rule: "anthropic.lookback_blocks", spoil: farSighted },
  {
    title: "no minimum",
    rule: "anthropic.min_tokens.opus-4.6|opus-4.5|haiku-4.5",
    spoil: (right) => ({ ...right, measure: (body, nowMs) => right.measure(body, nowMs, 1) }),
  },
  {
    title: "no end of a life",
    rule: "anthropic.ttl_s.5m",
    spoil: (right) => ({
      measure: (body, nowMs, tokensMin) => right.measure(body, Math.min(nowMs, 1_000), tokensMin),
      commit: (measure, nowMs, visibleAtMs) => right.commit(measure, Math.min(nowMs, 1_000), visibleAtMs),
    }),
  },
  {
    title: "one life for every entry",
    rule: "anthropic.ttl_s.1h",
    spoil: misread((body) => eachBlock(body, withoutTtl)),
  },
  { title: "no refresh by a read", rule: "anthropic.ttl_clock", spoil: neverRefreshed },
  {
    title: "a life that counts from the answer",
    rule: "anthropic.ttl_clock",
    spoil: (right) => ({ ...right, commit: (measure, _, at) => right.commit(measure, at, at) }),
  },
  {
    title: "entries that show at once",
    rule: "anthropic.visible_after",
    spoil: (right) => ({ ...right, commit: (measure, nowMs) => right.commit(measure, nowMs, 0) }),
  },
  {
    title: "no eye for tools",
    rule: "anthropic.order",
    spoil: misread((body) => ({
      ...body,
      ...(body.tools === undefined
        ? {}
        : { tools: body.tools.map((tool) => ({ ...tool, description: same(tool.description ?? "") })) }),
    })),
  },
  {
    title: "no eye for the model",
    rule: "anthropic.invalidates.model",
    spoil: misread((body) => ({ ...body, model: "m" })),
  },
  {
    title: "no eye for speed",
    rule: "anthropic.invalidates.speed|web_search|citations",
    spoil: misread((body) => ({ ...body, speed: "standard" })),
  },
  {
    title: "web search as a tool like others",
    rule: "anthropic.invalidates.speed|web_search|citations",
    spoil: misread((body) => ({
      ...body,
      ...(body.tools === undefined ? {} : { tools: body.tools.map((tool) => ({ ...tool, type: "custom" })) }),
    })),
  },
  {
    title: "no eye for the tool choice",
    rule: "anthropic.invalidates.tool_choice|images",
    spoil: misread((body) => ({ ...body, tool_choice: { type: "auto" } })),
  },
]
