/**
 * The cache oracle against sessions: how often it reads what the provider has read. Of the invented
 * ones it reads all; of real ones, where they are at hand, most.
 *
 * Where the two disagree:
 *   - the provider reads more, always at a user's message: the recorded tool seems to make calls of
 *     its own that are not recorded, and they write behind the answer;
 *   - it reads less though the prompt grew: tools or system changed, or it had lost the entry, or
 *     another machine was asked; a record does not tell which;
 *   - the prompt shrank: results were cut or thinking was dropped, where is not recorded
 *     (`rewritten`; the oracle is told that all but the head is another text);
 *   - a pause ended within seconds of the life: the record has the times of answers, not of
 *     requests (`edge`);
 *   - after a pause it reads a part that somebody else has kept alive (`lapsed`).
 * A head after a compaction has the size that is read there, or was read before while it was
 * cached: what the oracle has to know is that it is alive, and that nothing behind it is.
 */
import { describe, expect, test } from "vitest"
import { cacheRulesOf } from "@holdfast/provider-sim/openai/prompt"
import { type Compared, type Kind, replayMarkers, replayPrefix } from "./cache-replay.ts"
import { inventedItems, inventedMessages } from "./invented.ts"
import { usageOf } from "./recorded-usage.ts"
import { readTranscripts } from "./transcript.ts"

const timeoutMs = 60_000
/** Calls of a session that are counted in the finer steps, which take longer. */
const callsMax = 60
/** What GPT-5.5 shows in its counts: steps of 512 tokens, of which 128 come before those it tells of. */
const recordedStep = 512
const hiddenTokens = 128

interface Figures {
  readonly calls: number
  readonly exact: number
  readonly more: number
  readonly less: number
}

function figuresOf(compared: readonly Compared[]): Figures {
  const count = (holds: (one: Compared) => boolean) => compared.filter(holds).length
  return {
    calls: compared.length,
    exact: count(({ predicted, recorded }) => recorded === predicted),
    more: count(({ predicted, recorded }) => recorded > predicted),
    less: count(({ predicted, recorded }) => recorded < predicted),
  }
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`

function report(what: string, { calls, exact, more, less }: Figures): void {
  if (calls === 0) return
  const share = percent(exact, calls)
  console.log(
    `figure: ${what}: ${exact} of ${calls} calls as predicted (${share}), ${more} read more, ${less} less`,
  )
}

/** What is asked of the sessions of one kind. */
interface Bounds {
  /** Least share of calls that are predicted to the token. */
  readonly exact: number
  readonly callsMin: number
  /** Least number of calls of each rarer kind. */
  readonly rareMin: number
}

const ours: Bounds = { exact: 1, callsMin: 90, rareMin: 2 }
const real: Bounds = { exact: 0.95, callsMin: 1_000, rareMin: 6 }
const realAnthropic = readTranscripts<object>("anthropic-messages").map(usageOf)
const realOpenai = readTranscripts<object>("openai-responses").map(usageOf)

describe.for([
  ["invented", inventedMessages.map(usageOf), ours],
  ...(realAnthropic.length === 0 ? [] : [["real", realAnthropic, real] as const]),
] as const)("the marker cache, %s sessions", { timeout: timeoutMs }, ([which, anthropic, bounds]) => {
  const compared = anthropic.flatMap(replayMarkers)
  const of = (...kinds: readonly Kind[]) => compared.filter(({ kind }) => kinds.includes(kind))

  test("is never below the sum of the last read and write within five minutes, where the provider is not", () => {
    const pairs = of("minutes", "rewritten")
    const kept = pairs.filter(({ recorded, sum }) => recorded >= sum)
    expect(kept.filter(({ predicted, sum }) => predicted < sum)).toEqual([])
    const figures = figuresOf(of("minutes"))
    report(`Anthropic, ${which}, within five minutes`, figures)
    expect(figures.calls).toBeGreaterThanOrEqual(bounds.callsMin)
    expect(figures.exact / figures.calls).toBeGreaterThanOrEqual(bounds.exact)
    expect(figures.less / figures.calls).toBeLessThan(0.01)
    report(`Anthropic, ${which}, prompt rewritten`, figuresOf(of("rewritten")))
  })

  test("reads what is left at the first call, after a compaction and after a pause", () => {
    const first = figuresOf(of("first"))
    const segment = figuresOf(of("segment"))
    const hour = figuresOf(of("hour"))
    const lapsed = figuresOf(of("lapsed"))
    report(`Anthropic, ${which}, first call`, first)
    report(`Anthropic, ${which}, after a compaction`, segment)
    report(`Anthropic, ${which}, pause within an hour of life`, hour)
    report(`Anthropic, ${which}, pause over the life`, lapsed)
    report(`Anthropic, ${which}, pause within seconds of the life`, figuresOf(of("edge")))
    expect([first.exact, segment.exact, hour.less]).toEqual([first.calls, segment.calls, 0])
    expect(of("hour").filter(({ predicted, sum }) => predicted !== sum)).toEqual([])
    expect(lapsed.exact / lapsed.calls).toBeGreaterThanOrEqual(bounds.exact)
    const rarest = Math.min(first.calls, segment.calls, hour.calls, lapsed.calls)
    expect(rarest).toBeGreaterThanOrEqual(bounds.rareMin)
  })
})

describe.for([
  ["invented", inventedItems.map(usageOf), 1],
  ...(realOpenai.length === 0 ? [] : [["real", realOpenai, 0.88] as const]),
] as const)("the prefix cache, %s sessions", { timeout: timeoutMs }, ([which, openai, exactMin]) => {
  const rules = cacheRulesOf({}, "gpt-5.5", { thinking: true, reply: () => ({ blocks: [] }) })
  const minutes = (all: readonly Compared[]) => all.filter(({ kind }) => kind === "minutes")

  test("counts in steps of 128, as the provider does", () => {
    const calls = openai.flatMap((session) => session.calls)
    expect(calls.filter(({ read }) => read % 128 !== 0)).toEqual([])
    const begun = openai.map((session) => ({ ...session, calls: session.calls.slice(0, callsMax) }))
    const compared = begun.flatMap((session) => replayPrefix(session, rules, 0))
    expect(compared.filter(({ predicted }) => predicted % 128 !== 0)).toEqual([])
    const pairs = minutes(compared)
    const near = pairs.filter(
      ({ predicted, recorded }) => recorded <= predicted && recorded > predicted - recordedStep,
    )
    report(`OpenAI, ${which}, within five minutes, steps of 128`, figuresOf(pairs))
    const share = percent(near.length, pairs.length)
    console.log(
      `figure: OpenAI, ${which}, less than ${recordedStep} below: ${near.length} of ${pairs.length} (${share})`,
    )
    expect(near.length / pairs.length).toBeGreaterThan(0.75)
    expect(figuresOf(pairs).more / pairs.length).toBeLessThan(0.05)
  })

  test("counts as the provider does, to the token, in the steps that it shows", () => {
    const stepped = { kind: "prefix", tokensStep: recordedStep, idleMs: 86_400_000 } as const
    const pairs = minutes(openai.flatMap((session) => replayPrefix(session, stepped, hiddenTokens)))
    const figures = figuresOf(pairs)
    report(`OpenAI, ${which}, within five minutes, steps of 512`, figures)
    expect(figures.exact / figures.calls).toBeGreaterThanOrEqual(exactMin)
  })
})
