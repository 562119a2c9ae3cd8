/** Cases of Anthropic's rules on the cache oracle itself, with blocks of known sizes. */
import type { CacheOracle } from "../../src/index.ts"
import type { ContentBlock, MessagesBody } from "../../src/anthropic-messages/request-body.ts"
import type { TextBlock, WireMessage, WireTool } from "../../src/anthropic-messages/request-body.ts"
import { tokensOfText } from "../../src/tokens.ts"
import type { RuleCase, RuleId } from "./rules.ts"

type Ttl = "5m" | "1h"
type Said = readonly (TextBlock | ContentBlock)[]

interface Send {
  readonly body: MessagesBody
  readonly nowMs?: number
  /** When the answer begins, after the request. */
  readonly afterMs?: number
  readonly tokensMin?: number
}

/** Read, short write and long write of a request. */
type Counts = readonly [read: number, write5m: number, write1h: number]

const marker = (ttl: Ttl | null) =>
  ttl === null ? {} : ({ cache_control: { type: "ephemeral", ttl } } as const)

/** A text block of exactly so many tokens; another letter is another text. */
function text(tokens: number, letter = "a", ttl: Ttl | null = null, role = "user"): TextBlock {
  const frame = `${role} {"text":"","type":"text"}`.length
  return { type: "text", text: letter.repeat(tokens * 4 - frame), ...marker(ttl) }
}

function tool(tokens: number, letter = "a", ttl: Ttl | null = null): WireTool {
  const frame = 'tool {"description":"","input_schema":{"type":"object"},"name":"t"}'.length
  return {
    name: "t",
    description: letter.repeat(tokens * 4 - frame),
    input_schema: { type: "object" },
    ...marker(ttl),
  }
}

const user = (...content: Said): WireMessage => ({ role: "user", content })
const request = (messages: readonly WireMessage[], more: Partial<MessagesBody> = {}): MessagesBody => ({
  model: "m",
  max_tokens: 100,
  messages,
  ...more,
})

/** 2,000 tokens of tools, 3,000 of system, 500 of messages; each part ends with a marker. */
const parts = { tools: [tool(2_000, "t", "5m")], system: [text(3_000, "s", "5m", "system")] }
const question = user(text(500, "q", "5m"))
const base = request([question], parts)

/** The base, what is changed of it a moment later, and what of it can still be read. */
function change(rules: readonly RuleId[], title: string, body: MessagesBody, read: number, size = 5_500) {
  return row(
    rules,
    title,
    [{ body: base }, { body, nowMs: 1 }],
    [
      [0, 5_500, 0],
      [read, size - read, 0],
    ],
  )
}

function row(
  rules: readonly RuleId[],
  title: string,
  sends: readonly Send[],
  expected: readonly Counts[],
): RuleCase<CacheOracle> {
  return { rules, title, play: (make) => play(make(), sends), expected }
}

function play(oracle: CacheOracle, sends: readonly Send[]): readonly Counts[] {
  return sends.map(({ body, nowMs = 0, afterMs = 0, tokensMin = 1_024 }) => {
    const measure = oracle.measure(body, nowMs, tokensMin)
    oracle.commit(measure, nowMs, nowMs + afterMs)
    return [measure.usage.read, measure.usage.write5m, measure.usage.write1h]
  })
}

const at = (body: MessagesBody, ...times: readonly number[]): readonly Send[] =>
  times.map((nowMs) => ({ body, nowMs }))

/** A message that begins with 1,100 tokens, and so many small blocks after it, the last one marked. */
const grown = (blocks: number, alsoMarked = -1) =>
  request([
    user(
      text(1_100, "a", blocks === 0 ? "5m" : null),
      ...Array.from({ length: blocks }, (_, index) =>
        text(10, "b", index === blocks - 1 || index === alsoMarked ? "5m" : null),
      ),
    ),
  ])

/** A marked beginning, what has grown from it a moment later, and what of that is read and written. */
const lookBack = (title: string, body: MessagesBody, read: number, write: number) =>
  row(
    ["anthropic.lookback_blocks"],
    title,
    [{ body: grown(0) }, { body, nowMs: 1 }],
    [
      [0, 1_100, 0],
      [read, write, 0],
    ],
  )

const long = request([user(text(2_000, "a", "1h"))])
const short = request([user(text(2_000, "a", "5m"))])
const mixed = request([question], { system: [text(3_000, "s", "1h", "system")] })
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } } as const

const search = { name: "web_search", type: "web_search_20250305" }
/** The simulated service takes no documents; what they would do to the cache is known all the same. */
const cited = { type: "document", source: {}, citations: { enabled: true } } as unknown as ContentBlock
/** documented: such a block stands in a system message, behind a beta. */
const added = {
  type: "tool_addition",
  tool: { type: "tool_reference", name: "t" },
} as unknown as ContentBlock & { readonly tool: object }

/** What is switched on, and how large the request is with it. */
const switches: readonly (readonly [what: string, body: MessagesBody, size: number])[] = [
  ["speed", { ...base, speed: "fast" }, 5_500],
  [
    "web search",
    { ...base, tools: [search, ...parts.tools] },
    5_500 + tokensOfText(`tool ${JSON.stringify(search)}`),
  ],
  [
    "citations",
    request([user(cited, ...(question.content as readonly ContentBlock[]))], parts),
    5_500 +
      tokensOfText(`user ${JSON.stringify({ citations: { enabled: true }, source: {}, type: "document" })}`),
  ],
]

const minimum = (tokensMin: number, rule: RuleId) =>
  row(
    [rule],
    `caches from ${tokensMin} tokens on`,
    [tokensMin - 1, tokensMin - 1, tokensMin, tokensMin].map((tokens, index) => ({
      body: request([user(text(tokens, "a", "5m"))]),
      nowMs: index,
      tokensMin,
    })),
    [
      [0, 0, 0],
      [0, 0, 0],
      [0, tokensMin, 0],
      [tokensMin, 0, 0],
    ],
  )

export const anthropicCases: readonly RuleCase<CacheOracle>[] = [
  change(["anthropic.match"], "reads a prompt that is the same", base, 5_500),
  change(
    ["anthropic.match"],
    "reads nothing of a block whose last letter differs",
    request([user({ ...text(500, "q", "5m"), text: text(500, "q").text.replace(/q$/, "r") })], parts),
    5_000,
  ),
  change(
    ["anthropic.order", "anthropic.invalidates.tool_defs"],
    "loses everything to another tool",
    { ...base, tools: [tool(2_000, "u", "5m")] },
    0,
  ),
  change(
    ["anthropic.order", "anthropic.invalidates.system"],
    "keeps the tools under another system",
    { ...base, system: [text(3_000, "r", "5m", "system")] },
    2_000,
  ),
  change(["anthropic.invalidates.model"], "loses everything to another model", { ...base, model: "n" }, 0),
  ...switches.map(([what, body, size]) =>
    change(
      ["anthropic.invalidates.speed|web_search|citations"],
      `keeps the tools alone when ${what} is switched on`,
      body,
      2_000,
      size,
    ),
  ),
  change(
    ["anthropic.invalidates.speed|web_search|citations"],
    "keeps everything when nothing is switched",
    { ...base, speed: "standard" },
    5_500,
  ),
  change(
    ["anthropic.invalidates.tool_choice|images"],
    "keeps tools and system under another tool choice",
    { ...base, tool_choice: { type: "any" } },
    5_000,
  ),
  change(
    ["anthropic.invalidates.tool_choice|images"],
    "keeps tools and system when the first image comes",
    request([question, user(image)], parts),
    5_000,
  ),
  change(
    ["anthropic.invalidates.thinking|effort"],
    "keeps tools and system under other thinking",
    { ...base, thinking: { type: "adaptive" } },
    5_000,
  ),
  change(
    ["anthropic.invalidates.thinking|effort", "anthropic.conflicts"],
    "keeps tools and system under another effort",
    { ...base, output_config: { effort: "low" } },
    5_000,
  ),
  change(
    ["anthropic.invalidates.message_content", "anthropic.order"],
    "keeps the messages before the one that differs",
    request([question, user(text(100, "y")), user(text(50, "z", "5m"))], parts),
    5_500,
    5_650,
  ),
  change(
    ["anthropic.escape_hatches.system change"],
    "keeps everything when a system message is appended",
    request([question, { role: "system", content: [text(50, "z", "5m", "system")] }], parts),
    5_500,
    5_550,
  ),
  change(
    ["anthropic.escape_hatches.tools change"],
    "keeps everything when a tool is added in the conversation",
    request([question, { role: "system", content: [added, text(50, "z", "5m", "system")] }], parts),
    5_500,
    5_550 + tokensOfText(`system ${JSON.stringify({ tool: added.tool, type: added.type })}`),
  ),
  lookBack("finds an entry nineteen blocks before the marker", grown(19), 1_100, 190),
  lookBack("does not find an entry twenty blocks before the marker", grown(20), 0, 1_300),
  lookBack("looks back from every marker", grown(30, 15), 1_100, 300),
  row(
    ["anthropic.read_only_at"],
    "reads no common beginning that had no marker",
    ["x", "y"].map((letter, nowMs) => ({
      body: request([user(text(4_000), text(100, letter, "5m"))]),
      nowMs,
    })),
    [
      [0, 4_100, 0],
      [0, 4_100, 0],
    ],
  ),
  row(
    ["anthropic.read_only_at"],
    "reads where an earlier marker stood, wherever the new one stands",
    [{ body: grown(2) }, { body: grown(1), nowMs: 1 }, { body: grown(6), nowMs: 2 }],
    [
      [0, 1_120, 0],
      [0, 1_110, 0],
      [1_120, 40, 0],
    ],
  ),
  row(["anthropic.ttl_s.5m"], "forgets a short entry after 300 seconds", at(short, 0, 299_999), [
    [0, 2_000, 0],
    [2_000, 0, 0],
  ]),
  row(["anthropic.ttl_s.5m"], "has forgotten a short entry at 300 seconds", at(short, 0, 300_000), [
    [0, 2_000, 0],
    [0, 2_000, 0],
  ]),
  row(["anthropic.ttl_s.1h"], "keeps a long entry under 3,600 seconds", at(long, 0, 3_599_999), [
    [0, 0, 2_000],
    [2_000, 0, 0],
  ]),
  row(["anthropic.ttl_s.1h"], "has forgotten a long entry at 3,600 seconds", at(long, 0, 3_600_000), [
    [0, 0, 2_000],
    [0, 0, 2_000],
  ]),
  row(["anthropic.ttl_clock"], "counts a life anew from each read", at(short, 0, 299_999, 599_998, 899_998), [
    [0, 2_000, 0],
    [2_000, 0, 0],
    [2_000, 0, 0],
    [0, 2_000, 0],
  ]),
  row(
    ["anthropic.ttl_clock"],
    "counts a life from the start of the request, not from its answer",
    [
      { body: short, afterMs: 200_000 },
      { body: short, nowMs: 300_000 },
    ],
    [
      [0, 2_000, 0],
      [0, 2_000, 0],
    ],
  ),
  row(
    ["anthropic.ttl_clock"],
    "keeps a marked beginning alive while what follows it is read",
    [0, 200_000, 400_000, 600_000].map((nowMs, index) => ({
      body: request([index < 3 ? question : user(text(700, "r", "5m"))], parts),
      nowMs,
    })),
    [
      [0, 5_500, 0],
      [5_500, 0, 0],
      [5_500, 0, 0],
      [5_000, 700, 0],
    ],
  ),
  row(
    ["anthropic.mixed_ttl"],
    "writes both lives at their prices, and the long one stays",
    at(mixed, 0, 300_000),
    [
      [0, 500, 3_000],
      [3_000, 500, 0],
    ],
  ),
  row(
    ["anthropic.visible_after"],
    "shows an entry once the answer has begun",
    [0, 499, 500].map((nowMs) => ({ body: short, nowMs, afterMs: nowMs === 0 ? 500 : 1_000 })),
    [
      [0, 2_000, 0],
      [0, 2_000, 0],
      [2_000, 0, 0],
    ],
  ),
  minimum(512, "anthropic.min_tokens.opus-5|fable-5.1|mythos-5.1"),
  minimum(1_024, "anthropic.min_tokens.opus-4.8|sonnet-5|sonnet-4.6|sonnet-4.5|opus-4.1|opus-4|sonnet-4"),
  minimum(2_048, "anthropic.min_tokens.opus-4.7|mythos-preview|haiku-3.5"),
  minimum(4_096, "anthropic.min_tokens.opus-4.6|opus-4.5|haiku-4.5"),
]
