/**
 * Histories as a runtime can come to hold them, and worse: every kind of entry at every place,
 * many calls at once, reasoning of this target and of others, texts that break encoders.
 *
 * Native reasoning is signed as the provider signs it, so a request that repeats it is genuine.
 */
import * as fc from "fast-check"
import type { Entry, EntryPart, Segments, Target, ToolDefinition } from "@holdfast/llm/segments"
import { sealRedacted, signThinking } from "@holdfast/provider-sim/signature"
import type { CallId } from "@holdfast/schema/id"
import type { Json } from "@holdfast/schema/json"
import { targetOf } from "./provider.ts"

export interface Case {
  readonly segments: Segments
  readonly target: Target
}

/** What no encoder may trip over: blanks of every sort, half pairs, quotes, tags, controls. */
const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  fc.constantFrom(
    "",
    " ",
    "\n\t ",
    "\u00a0\u2003",
    "\ufeff",
    "\u0000",
    "\u200b",
    "\ud800",
    "tail \udfff",
    '"\\ud800"',
    "</notice>",
    '<context-update from="runtime">',
    "\u2028\u2029",
    "👩‍👩‍👧",
    "e\u0301",
  ),
)

/** A provider signs what it wrote, and it writes whole characters. */
const thought = oddText.map((text) => text.toWellFormed())

const foreignTarget = targetOf()

const nativeReasoning = (target: Target): fc.Arbitrary<EntryPart> => {
  const { provider, model, endpoint } = target
  return fc
    .oneof(
      { weight: 3, arbitrary: thought.map((text) => ({ text, opaque: signed(model, text) })) },
      fc.nat(9).map((nonce) => ({ text: "", opaque: sealed(model, String(nonce)) })),
      // The decoder keeps null instead of an empty signature; a store of another time may hold one.
      thought.map((text) => ({ text, opaque: { type: "thinking", thinking: text, signature: "" } })),
    )
    .map(({ text, opaque }) => ({ type: "reasoning", text, native: { provider, model, endpoint, opaque } }))
}

export const signed = (model: string, text: string): Json => ({
  type: "thinking",
  thinking: text,
  signature: signThinking(model, text),
})

const sealed = (model: string, nonce: string): Json => ({
  type: "redacted_thinking",
  data: sealRedacted(model, nonce),
})

const foreignReasoning: fc.Arbitrary<EntryPart> = fc
  .record({ text: oddText, change: fc.constantFrom("provider", "model", "endpoint") })
  .map(({ text, change }) => {
    const foreign: Target = { ...foreignTarget, [change]: `another ${change}` }
    const { provider, model, endpoint } = foreign
    const native = { provider, model, endpoint, opaque: signed(model, text) }
    return { type: "reasoning", text, native }
  })

const unsignedReasoning = oddText.map((text): EntryPart => ({ type: "reasoning", text, native: null }))

const textPart = oddText.map((text): EntryPart => ({ type: "text", text }))

const toolName = fc.oneof(fc.constantFrom("read", "bash", "no tool of ours"), oddText)

const callPart: fc.Arbitrary<EntryPart> = fc
  .record({
    name: toolName,
    input: fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.dictionary(oddText, oddText)) as fc.Arbitrary<Json>,
    result: oddText,
    failed: fc.boolean(),
  })
  .map((call) => ({ type: "call", call: "call_0" as CallId, ...call }))

const answer = (target: Target): fc.Arbitrary<Entry> => {
  const lead = fc.oneof(nativeReasoning(target), foreignReasoning, unsignedReasoning)
  const calls = fc.oneof(
    { weight: 4, arbitrary: fc.array(callPart, { maxLength: 3 }) },
    fc.array(callPart, { minLength: 4, maxLength: 30 }),
  )
  const ordered = fc
    .tuple(fc.array(lead, { maxLength: 2 }), fc.array(textPart, { maxLength: 2 }), calls)
    .map((parts) => parts.flat())
  const shuffled = fc.array(fc.oneof(lead, textPart, callPart), { maxLength: 6 })
  return fc.oneof({ weight: 3, arbitrary: ordered }, shuffled).map((parts) => ({ kind: "assistant", parts }))
}

const spoken = (kind: "user" | "system" | "notice") => oddText.map((text): Entry => ({ kind, text }))

/** Any order, or framed: begun and ended by the user, as the runtime's histories are. */
const entriesFor = (target: Target, framed: boolean): fc.Arbitrary<readonly Entry[]> => {
  const entry = fc.oneof(spoken("user"), spoken("system"), spoken("notice"), {
    weight: 4,
    arbitrary: answer(target),
  })
  return fc
    .array(entry, { maxLength: 10 })
    .map((middle) => numberCalls(framed ? [begin, ...middle, goOn] : middle))
}

const begin: Entry = { kind: "user", text: "Begin." }
const goOn: Entry = { kind: "user", text: "Go on." }

function numberCalls(entries: readonly Entry[]): readonly Entry[] {
  let count = 0
  const numbered = (part: EntryPart): EntryPart =>
    part.type === "call" ? { ...part, call: `call_${(count += 1)}` as CallId } : part
  return entries.map((entry) =>
    entry.kind === "assistant" ? { ...entry, parts: entry.parts.map(numbered) } : entry,
  )
}

export const readTool: ToolDefinition = {
  name: "read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
}

const bashTool: ToolDefinition = {
  name: "bash",
  description: "Runs a command.",
  inputSchema: { type: "object", properties: { command: { type: "string" } } },
}

export const anyTarget: fc.Arbitrary<Target> = fc
  .record({
    thinkingTokens: fc.constantFrom(null, 1_024, 4_000),
    systemRole: fc.boolean(),
    cacheTtl: fc.constantFrom("5m" as const, "1h" as const),
  })
  .map(targetOf)

/** A whole request: the history cut anywhere into its three segments. */
export const anyCase = (framed: boolean): fc.Arbitrary<Case> =>
  anyTarget.chain((target) => caseFor(target, framed))

const caseFor = (target: Target, framed: boolean): fc.Arbitrary<Case> =>
  fc
    .record({
      entries: entriesFor(target, framed),
      cuts: fc.tuple(fc.nat(12), fc.nat(12)),
      tools: fc.constantFrom<readonly ToolDefinition[]>([], [readTool], [bashTool, readTool]),
      system: oddText,
      agent: oddText,
    })
    .map(({ entries, cuts, ...prompt }) => {
      const [from, to] = [Math.min(...cuts), Math.max(...cuts)]
      return {
        target,
        segments: {
          ...prompt,
          historyBaseline: entries.slice(0, from),
          historyDelta: entries.slice(from, to),
          tail: entries.slice(to),
        },
      }
    })
