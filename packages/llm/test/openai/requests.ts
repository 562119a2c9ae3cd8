/** Targets of the OpenAI wires, and histories with what each wire may have left behind in them. */
import * as fc from "fast-check"
import type { CallId } from "@holdfast/schema/id"
import type { Json } from "@holdfast/schema/json"
import { plainOptions, type RequestOptions } from "../../src/options.ts"
import { profiles } from "../../src/openai-chat/profiles.ts"
import type { Entry, EntryPart, Segments, Target } from "../../src/segments.ts"
import { answer, awkwardText, call, notice, readTool, system, text, thinking, user } from "../requests.ts"

export const responsesTarget = (more: Partial<RequestOptions> = {}): Target => ({
  provider: "openai",
  model: "gpt-test",
  endpoint: "https://api.openai.com/v1",
  options: plainOptions(8_192, { traits: { reasoning: true }, ...more }),
})

export const chatTarget = (profile: string, more: Partial<RequestOptions> = {}): Target => ({
  provider: profile,
  model: "chat-test",
  endpoint: "https://api.example/v1",
  options: plainOptions(4_096, { traits: { profile }, ...more }),
})

/** A part of the target's own answer. */
export const own = (target: Target, opaque: Json) => ({
  native: { provider: target.provider, model: target.model, endpoint: target.endpoint, opaque },
})

export const sealed = (id: string, words = "hm"): Json => ({
  type: "reasoning",
  id,
  summary: [{ type: "summary_text", text: words }],
  encrypted_content: `sealed-${id}`,
})

export const searched = (id: string): Json => ({
  type: "web_search_call",
  id,
  status: "completed",
  action: { type: "search", query: "weather" },
})

export const reasoned = (words: string, details: readonly Json[] = []): Json => ({
  type: "reasoning",
  field: "reasoning_content",
  text: words,
  details,
})

/** Ids of few values, so that they meet again. */
const itemId = fc.constantFrom("a_1", "a_2", "a_3", "a_4", "a_5", "a_6")

const opaques = fc.oneof(
  itemId.map((id) => sealed(id)),
  itemId.map((id): Json => ({ type: "reasoning", id, summary: [], encrypted_content: null })),
  itemId.map((id): Json => ({ type: "message", id, phase: "commentary" })),
  itemId.map((id): Json => ({ type: "function_call", id })),
  itemId.map(searched),
  fc.constant(reasoned("hm", [{ type: "reasoning.text", text: "hm" }])),
  fc.constant<Json>({ type: "call", extra: { extra_content: { sign: "s" } } }),
  fc.constant<Json>({ type: "thinking", thinking: "hm", signature: "sig" }),
  fc.jsonValue() as fc.Arbitrary<Json>,
)

function partsFor(target: Target): fc.Arbitrary<EntryPart> {
  const native = fc
    .tuple(opaques, fc.boolean())
    .map(([opaque, mine]) => own(mine ? target : { ...target, model: "another" }, opaque).native)
  const maybeNative = fc.option(native, { nil: undefined, freq: 2 })
  const withNative = <A extends object>(
    part: A,
    found: typeof native extends fc.Arbitrary<infer N> ? N | undefined : never,
  ) => (found === undefined ? part : { ...part, native: found })
  return fc.oneof(
    fc.tuple(awkwardText, maybeNative).map(([words, found]) => withNative(text(words), found)),
    fc
      .tuple(awkwardText, native)
      .map(([words, found]): EntryPart => ({ type: "reasoning", text: words, native: found })),
    awkwardText.map((words): EntryPart => ({ type: "reasoning", text: words, native: null })),
    awkwardText.map((words) => thinking(words)),
    native.map((found): EntryPart => ({ type: "hosted", name: "search", native: found })),
    fc
      .record({
        name: awkwardText,
        input: fc.jsonValue() as fc.Arbitrary<Json>,
        result: awkwardText,
        failed: fc.boolean(),
        native: maybeNative,
      })
      .map(({ native: found, ...more }) => withNative(call(0, more), found)),
  )
}

/** Shapes of call ids that other wires and imported sessions bring along. */
const callIdOf = (index: number): CallId =>
  [`call_${index}`, `toolu_01${"x".repeat(40)}${index}`, `bad id/${index}`, `ü${index}`][index % 4] as CallId

function numberCalls(entries: readonly Entry[]): readonly Entry[] {
  let next = 0
  const numbered = (part: EntryPart): EntryPart =>
    part.type === "call" ? { ...part, call: callIdOf((next += 1)) } : part
  return entries.map((entry) => (entry.kind === "assistant" ? answer(...entry.parts.map(numbered)) : entry))
}

/** Any entries at all, in any order: not every list is a conversation. */
export const anyEntries = (target: Target, max = 10): fc.Arbitrary<readonly Entry[]> =>
  fc
    .array(
      fc.oneof(awkwardText.map(user), awkwardText.map(system), awkwardText.map(notice), {
        weight: 3,
        arbitrary: fc.array(partsFor(target), { maxLength: 5 }).map((parts) => answer(...parts)),
      }),
      { maxLength: max },
    )
    .map(numberCalls)

/** A history as the runtime keeps it: the user speaks first and last. */
export const historyFor = (target: Target): fc.Arbitrary<readonly Entry[]> =>
  anyEntries(target).map((middle) => [user("begin"), ...middle, user("go on")])

export const segmentsFor = (target: Target): fc.Arbitrary<Segments> =>
  fc
    .record({
      all: historyFor(target),
      cuts: fc.tuple(fc.nat(12), fc.nat(12)),
      tools: fc.boolean(),
      system: awkwardText,
      agent: awkwardText,
    })
    .map(({ all, cuts, tools, system: prompt, agent }) => {
      const [from, to] = [Math.min(...cuts), Math.max(...cuts)]
      return {
        tools: tools ? [readTool] : [],
        system: prompt,
        agent,
        historyBaseline: all.slice(0, from),
        historyDelta: all.slice(from, to),
        tail: all.slice(to),
      }
    })

const anyTraits = fc.record(
  {
    systemRole: fc.boolean(),
    reasoning: fc.boolean(),
    strictTools: fc.boolean(),
    cacheMarkers: fc.constantFrom("openai" as const, "anthropic" as const),
  },
  { requiredKeys: [] },
)

export const anyResponsesTarget: fc.Arbitrary<Target> = anyTraits.map((traits) => responsesTarget({ traits }))

export const anyChatTarget: fc.Arbitrary<Target> = fc
  .tuple(fc.constantFrom(...Object.keys(profiles)), anyTraits)
  .map(([profile, traits]) => chatTarget(profile, { traits: { ...traits, profile } }))
