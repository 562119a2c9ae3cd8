/**
 * Markers against the provider's cache: a conversation that only grows pays for what is new.
 *
 * Each request repeats the one before and adds an answer and what follows it. What the provider
 * then reports as read has to be all that the previous request read and wrote.
 */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { markerTtl } from "@holdfast/llm/options"
import type { Entry, EntryPart, Segments, Target } from "@holdfast/llm/segments"
import type { ProviderSim } from "@holdfast/provider-sim"
import type { CallId } from "@holdfast/schema/id"
import { anyTarget, readTool, signed } from "./history.ts"
import { bodyOf, judge, makeJudge } from "./provider.ts"
import { numRuns, timeoutMs } from "./runs.ts"

/** The shortest prefix that the simulated models cache. */
const cacheTokensMin = 1_024
const ttlMs = { "5m": 300_000, "1h": 3_600_000 } as const

interface Step {
  readonly calls: number
  readonly inputs: readonly { readonly kind: "user" | "system" | "notice"; readonly words: number }[]
  readonly words: number
  /** Time since the request before, as a share of the cache's life. */
  readonly pause: number
}

const words = (count: number): string => `said ${"and said again ".repeat(count)}`.trim()

const anyStep: fc.Arbitrary<Step> = fc.record({
  calls: fc.oneof({ weight: 2, arbitrary: fc.nat(3) }, fc.nat(30)),
  inputs: fc.array(fc.record({ kind: fc.constantFrom("user", "system", "notice"), words: fc.nat(60) }), {
    minLength: 1,
    maxLength: 24,
  }),
  words: fc.nat(80),
  pause: fc.double({ min: 0, max: 0.99, noNaN: true }),
})

const anyConversation = fc.record({
  target: anyTarget,
  systemWords: fc.nat(500),
  baseline: fc.nat(4),
  delta: fc.nat(4),
  steps: fc.array(anyStep, { minLength: 2, maxLength: 8 }),
})

/** An answer as this target gives it: thinking first where it thinks, so that it may go on with it. */
function answerOf(step: Step, number: number, target: Target): Entry {
  const { provider, model, endpoint } = target
  const thought = `step ${number}`
  const thinking: EntryPart = {
    type: "reasoning",
    text: thought,
    native: { provider, model, endpoint, opaque: signed(model, thought) },
  }
  const calls = Array.from({ length: step.calls }, (_, i): EntryPart => {
    const call = `call_${number}x${i}` as CallId
    return { type: "call", call, name: "read", input: { path: `${i}` }, result: words(i), failed: false }
  })
  const text: EntryPart = { type: "text", text: words(step.words) }
  return { kind: "assistant", parts: [thinking, text, ...calls] }
}

/** After calls the model is asked again at once; otherwise somebody has to say something. */
const inputsOf = (step: Step): readonly Entry[] =>
  (step.calls > 0 ? step.inputs.slice(1) : step.inputs).map(({ kind, words: count }) => ({
    kind,
    text: words(count),
  }))

interface Conversation {
  readonly target: Target
  readonly systemWords: number
  readonly baseline: number
  readonly delta: number
  readonly steps: readonly Step[]
}

const spoken = (count: number, what: string): readonly Entry[] =>
  Array.from({ length: count }, (_, i) => ({ kind: "notice", text: `${what} ${i} ${words(20)}` }))

/** Cache reads and writes of each request of a conversation, in tokens. */
function play(sim: ProviderSim, talk: Conversation, startMs: number) {
  const { target, steps } = talk
  let entries: readonly Entry[] = [{ kind: "user", text: "Begin." }]
  let previousBlocks = 0
  let nowMs = startMs
  return steps.map((step, number) => {
    if (number > 0) {
      entries = [...entries, answerOf(step, number, target), ...inputsOf(step)]
      nowMs += Math.floor(step.pause * ttlMs[markerTtl(target.options)])
    }
    const segments: Segments = {
      tools: [readTool],
      system: words(talk.systemWords),
      agent: "You are an agent.",
      historyBaseline: spoken(talk.baseline, "Baseline"),
      historyDelta: spoken(talk.delta, "Delta"),
      tail: entries,
    }
    const encoded = anthropicMessages.encode(segments, target)
    expect(anthropicMessages.lint(encoded, target)).toEqual([])
    expect(judge(sim, bodyOf(encoded, target, previousBlocks), nowMs).message).toBe("")
    previousBlocks = encoded.blocks.length
    return sim.log.at(-1)?.cache ?? { read: -1, write: -1, input: -1 }
  })
}

describe("cache markers", { timeout: timeoutMs }, () => {
  test("[LL5] let each request read all that the one before has read and written", () => {
    let cached = 0
    fc.assert(
      fc.property(anyConversation, (talk) => {
        const reports = play(makeJudge(), talk, 1_000)
        for (const [i, report] of reports.entries()) {
          const before = reports[i - 1]
          expect(report.read).toBe(before === undefined ? 0 : before.read + before.write)
          // The last block is marked, so nothing is left over once a prefix is long enough.
          const total = report.read + report.write + report.input
          expect(report.input).toBe(total >= cacheTokensMin ? 0 : total)
          if (report.read > 0) cached += 1
        }
      }),
      { numRuns },
    )
    expect(cached).toBeGreaterThan(numRuns)
  })

  test("[LL5] are worth nothing after their time, and everything within it", () => {
    const step: Step = { calls: 0, inputs: [{ kind: "user", words: 5 }], words: 5, pause: 0 }
    fc.assert(
      fc.property(anyTarget, fc.integer({ min: -5, max: 5 }), (target, offMs) => {
        const share = 1 + offMs / ttlMs[markerTtl(target.options)]
        const steps = [step, { ...step, pause: share }]
        const [first, second] = play(
          makeJudge(),
          { target, systemWords: 500, baseline: 0, delta: 0, steps },
          1_000,
        )
        expect(first?.write).toBeGreaterThan(cacheTokensMin)
        expect(second?.read).toBe(offMs < 0 ? first?.write : 0)
      }),
      { numRuns: Math.min(numRuns, 100) },
    )
  })
})
