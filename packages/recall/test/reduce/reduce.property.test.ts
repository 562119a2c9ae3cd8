/** Random conversations, random breaks: whatever goes, every wire takes the rest, and a Hold only grows. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { plainOptions, type RequestOptions } from "@holdfast/llm/options"
import type { Target, ToolDefinition } from "@holdfast/llm/segments"
import type { Encoded, Wire } from "@holdfast/llm/wire"
import { wires } from "@holdfast/llm/wires"
import { type HistoryView, protectedFrom, reduce, refOf, render, unitsOf } from "@holdfast/recall"
import type { CallId } from "@holdfast/schema/id"
import type { PassOp } from "@holdfast/schema/fact/recall"
import type { Message, Native, Part } from "@holdfast/schema/message"
import { type Frozen, frozenOf, unitKey } from "@holdfast/schema/state/frozen"
import { assistant, call, image, notice, text, user } from "../history.ts"
import { asking, drop } from "./units.ts"

const budget = { kind: "budget", tokens: 1_024 } as const
const effort = { kind: "effort", effort: "medium" } as const
const options = (reasoning: typeof budget | typeof effort, profile?: "openai"): RequestOptions =>
  plainOptions(4_000, { model: { reasoning }, traits: { reasoning: true, ...(profile && { profile }) } })

const spoken: readonly (readonly [string, string, RequestOptions])[] = [
  ["anthropic-messages", "claude-sonnet-4-5", options(budget)],
  ["openai-responses", "gpt-5.5", options(effort)],
  ["openai-chat", "gpt-5.5", options(effort, "openai")],
  ["gemini", "gemini-3-pro", options(budget)],
  ["bedrock-converse", "anthropic.claude-sonnet-4-5-20250929-v1:0", options(budget)],
]
const speakers = spoken.map(([name, model, own]) => {
  const target: Target = { provider: name, model, endpoint: `https://${name}.example`, options: own }
  return { wire: wires[name] as Wire, target }
})

const schema = { type: "object", properties: {} } as const
const tools: readonly ToolDefinition[] = ["bash", "context_reduce", "read", "todo"].map((name) => ({
  name,
  description: "Does it.",
  inputSchema: schema,
}))

/** An answer of the first of them, sealed as it seals. */
const sealed = (opaque: Native["opaque"]): Native => {
  const { provider, model, endpoint } = (speakers[0] as (typeof speakers)[number]).target
  return { provider, model, endpoint, opaque }
}

const prose = "The file is really there, and it is of the old kind. "

const kinds = ["bash", "read", "bash", "context_reduce"] as const

function answer(seq: number, { calls, says, thinks }: Answer): Message {
  const parts: Part[] = []
  if (thinks) {
    const native = sealed({ type: "thinking", thinking: "why", signature: `s${seq}` })
    parts.push({ type: "reasoning", text: "why", native, interrupted: false })
  }
  if (says || calls.length === 0) parts.push(text(seq % 3 === 0 ? prose.repeat(20) : `words ${seq}`))
  for (const [at, kind] of calls.entries()) {
    const n = 100 * seq + at
    const part = { ...call(n, `out ${n}`), name: kinds[kind] ?? "bash", input: { n: n % 3 } }
    const added = n % 5 === 0 ? { added: [{ kind: "nudge", text: "Drop some." } as const] } : {}
    const shows = n % 7 === 0 && part.outcome ? { outcome: { ...part.outcome, images: [image(n)] } } : {}
    parts.push({ ...part, ...added, ...shows, call: `call_${n}` as CallId, seq: seq + 1 + at, tokens: 900 })
  }
  return assistant(seq, ...parts)
}

interface Answer {
  readonly calls: readonly number[]
  readonly says: boolean
  readonly thinks: boolean
}

const step = fc.record({
  answers: fc.array(
    fc.record({
      calls: fc.array(fc.nat(3), { maxLength: 6 }),
      says: fc.boolean(),
      thinks: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  breaks: fc.constantFrom(null, null, "refresh", "execute", "flush", "forced", "fold") as fc.Arbitrary<
    null | "refresh" | "execute" | "flush" | "forced" | "fold"
  >,
  usage: fc.constantFrom(0.5, 0.9),
  drops: fc.array(fc.nat(99), { maxLength: 8 }),
  notes: fc.boolean(),
})

const encode = (view: HistoryView, tags: boolean, { wire, target }: (typeof speakers)[number]): Encoded =>
  wire.encode({ tools, system: "You help.", agent: "", ...render(view, tags) }, target)

/** Nothing that was decided changes (TG2). */
function expectFrozen(before: Frozen, after: Frozen): void {
  for (const key of before.gone) expect(after.gone.has(key) && !after.skeletons.has(key)).toBe(true)
  for (const key of before.skeletons) expect(after.skeletons.has(key) && !after.gone.has(key)).toBe(true)
  for (const [key, depth] of before.depths) expect(after.depths.get(key)).toBeGreaterThanOrEqual(depth)
}

test("[TG1 TG2 TG3 TG5 PS3] whatever breaks drop or shorten, every wire takes it, and between breaks requests only grow", () => {
  let dropped = 0
  let shortened = 0
  let pictures = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 4, maxLength: 10 }), (steps) => {
      let seq = 1
      let messages: readonly Message[] = []
      let ops: readonly PassOp[] = []
      let frozen = frozenOf([], null)
      const last = new Map<string, Encoded>()
      for (const [at, { answers, breaks, usage, drops, notes }] of steps.entries()) {
        messages = [
          ...messages,
          notes ? notice(seq) : { ...user(seq), tokens: 2_000, images: [image(seq), image(seq + 1)] },
          user(seq + 1),
        ] as Message[]
        seq += 2
        for (const said of answers) {
          messages = [...messages, answer(seq, said)]
          seq += said.calls.length + 1
        }
        if (breaks !== null) {
          const view = { messages, frozen }
          const units = unitsOf(messages, frozen)
          const asked = drops.flatMap((n) => units[n % Math.max(1, units.length)] ?? [])
          const signal = {
            ...drop(at),
            detail: { units: asked.map(refOf) },
          }
          const todos = [{ content: `Step ${at}`, status: "pending" }] as const
          const question = asking(view, {
            signals: [signal],
            cause: breaks,
            usage,
            todos,
            workingTokens: 20_000,
            shortens: true,
          })
          const { ops: more } = reduce({ ...question, executedSeq: seq - 30 })
          const limit = protectedFrom(units)
          for (const op of more) {
            if (op.op === "shorten") shortened += 1
            if (op.op !== "drop") continue
            dropped += 1
            const unit = units.find((one) => unitKey(one) === unitKey(op.unit))
            if (op.unit.image !== undefined) pictures += 1
            expect([unit?.dropped, (unit?.tag ?? Infinity) < limit]).toEqual([false, true])
          }
          ops = [...ops, ...more]
          const next = frozenOf(ops, null)
          expectFrozen(frozen, next)
          frozen = next
          last.clear()
        }
        const view = { messages: [...messages, user(seq)], frozen }
        const loaded = {
          messages: structuredClone(view.messages),
          frozen: frozenOf(structuredClone(ops), null),
        }
        for (const tags of [true, false]) {
          expect(render(loaded, tags)).toEqual(render(view, tags))
          for (const speaker of speakers) {
            const encoded = encode(view, tags, speaker)
            expect(speaker.wire.lint(encoded, speaker.target)).toEqual([])
            const key = `${speaker.wire.name} ${tags}`
            const before = last.get(key)?.blocks ?? []
            expect(encoded.blocks.slice(0, before.length).map(({ hash }) => hash)).toEqual(
              before.map(({ hash }) => hash),
            )
            last.set(key, encoded)
          }
        }
        messages = view.messages
        seq += 1
      }
    }),
    { numRuns: 12, seed: 7 },
  )
  expect([dropped > 100, shortened > 20, pictures > 5]).toEqual([true, true, true])
})
