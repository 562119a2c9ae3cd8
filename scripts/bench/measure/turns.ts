/**
 * Latency of a turn: from the call and from the receipt of a prompt to the provider, and from its
 * last byte to the commit that settles the turn.
 *
 * Moments of the provider come from its own process, on the clock that both share. When a commit
 * was durable is told by the store; which commit settled a turn is read from the log afterwards.
 */
import { Effect } from "effect"
import type { Tool } from "@holdfast/core/tools/tool"
import type { SessionId } from "@holdfast/schema/id"
import { readTool } from "@holdfast/core/tools/index"
import { contextTokensFor, type FullHistory, fullProvider, growFull } from "../full-window.ts"
import { isCut, recordTurn, tokensReported, writeHistory } from "../history.ts"
import { type Provider, type RequestTimes, startProvider } from "../provider-process.ts"
import type { Reading, Readings } from "../report.ts"
import {
  createSession,
  makeFolders,
  type Opened,
  type OpenOptions,
  openBenchRuntime,
  removeFolders,
  sendPrompt,
  settled,
  takeTurn,
} from "../runtime.ts"
import { type Amount, bestRound, msOf, nowNs, samplesOf, type Spread, spreadOf } from "../sample.ts"

interface TurnTimes {
  /** From the call of the prompt on; the others from its receipt. */
  readonly calledMs: number
  readonly firstByteMs: number
  readonly bodyMs: number
  readonly settleMs: number
  /** The planner has cut the window for it. */
  readonly cut: boolean
}

interface Round {
  readonly called: Spread
  readonly firstByte: Spread
  readonly body: Spread
  readonly settle: Spread
}

const warmTurns = 20
const samplesEach = 200

export async function measureFirstByteShort(amount: Amount): Promise<Readings> {
  return withRuntime({}, async (opened, provider) => {
    const samples = samplesOf(amount, samplesEach)
    const short: Round[] = []
    const thousand: Round[] = []
    await warm(opened, await createSession(opened, "text"), 200)
    for (let round = 0; round < amount.rounds; round++) {
      short.push(await shortRound(opened, provider, samples))
      const session = await writeHistory(opened, { messages: 1_000, mode: "text" })
      await warm(opened, session, warmTurns)
      thousand.push(roundOf(await sampleTurns(opened, provider, session, samples)))
    }
    return {
      "first-byte-10": best(short, "firstByte", samples),
      "prompt-to-first-byte-10": best(short, "called", samples),
      "settle-10": best(short, "settle", samples),
      "first-byte-1000": best(thousand, "firstByte", samples),
      "prompt-to-first-byte-1000": best(thousand, "called", samples),
    }
  })
}

/** Many Sessions, four turns of each from its eighth message on. */
async function shortRound(opened: Opened, provider: Provider, samples: number): Promise<Round> {
  const times: TurnTimes[] = []
  while (times.length < samples) {
    const session = await createSession(opened, "text")
    await warm(opened, session, 4)
    times.push(...(await sampleTurns(opened, provider, session, 4)))
  }
  return roundOf(times)
}

const wholeMessages = 3_000
const tenThousand = 10_000
const hundredThousand = 100_000
/** The cut comes this many samples before the last. */
const afterCut = 8

/**
 * A full window holds what a request weighs at the end of a pass at 3,000 messages, so that their
 * passes run through the same sizes. Each ends with the turn that cuts.
 */
export async function measureFirstByteLong(amount: Amount): Promise<Readings> {
  const full = { tokens: 0 }
  const contextTokens: OpenOptions["contextTokens"] = ({ provider }) =>
    provider === fullProvider ? contextTokensFor(full.tokens) : null
  return withRuntime({ contextTokens }, async (opened, provider) => {
    const samples = samplesOf(amount, samplesEach)
    const pass = async (session: SessionId): Promise<readonly TurnTimes[]> => {
      await warm(opened, session, warmTurns)
      return sampleTurns(opened, provider, session, samples)
    }
    const whole = async () => writeHistory(opened, { messages: wholeMessages, mode: "text" })
    const first = await whole()
    await pass(first)
    full.tokens = tokensReported(await recordTurn(opened, first))
    const fullPass = async (history: FullHistory): Promise<FullPass> => {
      await history.approach(warmTurns + samples - afterCut)
      const times = await pass(history.session)
      history.count(warmTurns + samples)
      if (!times.some(({ cut }) => cut)) throw new Error("No sample of a full window was cut.")
      return { times, messages: history.messages() }
    }
    const large = await growFull(opened, hundredThousand, full.tokens)
    const rounds: LongRound[] = []
    for (let round = 0; round < amount.rounds; round++) {
      rounds.push({
        whole: roundOf(await pass(await whole())),
        ten: await fullPass(await growFull(opened, tenThousand, full.tokens)),
        hundred: await fullPass(large),
      })
    }
    return longReadings(rounds, samples)
  })
}

interface FullPass {
  readonly times: readonly TurnTimes[]
  /** Stored at its end. */
  readonly messages: number
}

interface LongRound {
  readonly whole: Round
  readonly ten: FullPass
  readonly hundred: FullPass
}

function longReadings(rounds: readonly LongRound[], samples: number): Readings {
  const whole = rounds.map((round) => round.whole)
  const firstByte = best(whole, "firstByte", samples)
  const against = (passes: readonly FullPass[]): Reading => {
    const measured = best(
      passes.map(({ times }) => roundOf(times)),
      "firstByte",
      samples,
    )
    const cuts = passes.flatMap(({ times }) => times.filter(({ cut }) => cut))
    const slowest = Math.max(...cuts.map(({ firstByteMs }) => firstByteMs))
    const most = Math.max(...passes.map(({ messages }) => messages))
    const told = `${measured.value.toFixed(2)} ms; ${cuts.length} turns cut, ${slowest.toFixed(1)} ms at most`
    const note = `${told}; up to ${most.toLocaleString("en")} messages`
    return { ...measured, value: measured.value / firstByte.value, note }
  }
  return {
    "first-byte-3000": firstByte,
    "prompt-to-first-byte-3000": best(whole, "called", samples),
    "body-3000": best(whole, "body", samples),
    "settle-3000": best(whole, "settle", samples),
    "first-byte-10000": against(rounds.map(({ ten }) => ten)),
    "first-byte-100000": against(rounds.map(({ hundred }) => hundred)),
  }
}

export async function measureToolTurn(amount: Amount): Promise<Readings> {
  let toolNs = 0
  const timed: Tool = {
    ...readTool,
    name: "timed-read",
    run: (input, context) =>
      Effect.suspend(() => {
        const startNs = nowNs()
        return Effect.ensuring(
          readTool.run(input, context),
          Effect.sync(() => (toolNs = nowNs() - startNs)),
        )
      }),
  }
  return withRuntime({ tools: [timed] }, async (opened, provider) => {
    const samples = samplesOf(amount, samplesEach)
    const rounds: Spread[] = []
    for (let round = 0; round < amount.rounds; round++) {
      const session = await writeHistory(opened, { messages: 3_000, mode: "timed" })
      await warm(opened, session, warmTurns)
      const times: number[] = []
      for (let i = 0; i < samples; i++) {
        const startNs = nowNs()
        await takeTurn(opened, session)
        times.push(msOf(nowNs() - startNs - toolNs))
      }
      rounds.push(spreadOf(times))
    }
    await provider.take()
    return { "tool-turn-3000": bestRound(rounds, samples) }
  })
}

export async function warm(opened: Opened, session: SessionId, turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await takeTurn(opened, session)
}

async function sampleTurns(
  opened: Opened,
  provider: Provider,
  session: SessionId,
  samples: number,
): Promise<readonly TurnTimes[]> {
  await provider.take()
  const commits: { readonly seq: number; readonly ns: number }[] = []
  const stop = opened.store.onCommitted((_, seq) => void commits.push({ seq, ns: nowNs() }))
  const receipts: { readonly seq: number; readonly callNs: number; readonly ns: number }[] = []
  for (let i = 0; i < samples; i++) {
    const callNs = nowNs()
    const receipt = await sendPrompt(opened, session)
    receipts.push({ seq: receipt.admittedSeq, callNs, ns: nowNs() })
    await settled(opened, session)
  }
  stop()
  const { times } = await provider.take(samples)
  const turns = await settledTurns(opened, session, receipts[0]?.seq ?? 0, commits)
  if (times.length !== samples || turns.length !== samples) {
    throw new Error(`${samples} prompts made ${times.length} requests and ${turns.length} turns.`)
  }
  return receipts.map((receipt, i) => {
    const { firstNs, bodyNs, endNs } = times[i] as RequestTimes
    const { ns, cut } = turns[i] as SettledTurn
    return {
      calledMs: msOf(firstNs - receipt.callNs),
      firstByteMs: msOf(firstNs - receipt.ns),
      bodyMs: msOf(bodyNs - receipt.ns),
      settleMs: msOf(ns - endNs),
      cut,
    }
  })
}

interface SettledTurn {
  /** When it was settled on disk. */
  readonly ns: number
  readonly cut: boolean
}

/** The turns after a sequence. */
async function settledTurns(
  { store }: Opened,
  session: SessionId,
  after: number,
  commits: readonly { readonly seq: number; readonly ns: number }[],
): Promise<readonly SettledTurn[]> {
  const { events } = await Effect.runPromise(store.events(session, after, 100_000))
  let cut = false
  return events.flatMap(({ fact, seq }) => {
    if (isCut(fact)) cut = true
    if (fact.type !== "turn.settled") return []
    const turn = { ns: commits.find((commit) => commit.seq >= seq)?.ns ?? Number.NaN, cut }
    cut = false
    return [turn]
  })
}

const roundOf = (times: readonly TurnTimes[]): Round => ({
  called: spreadOf(times.map(({ calledMs }) => calledMs)),
  firstByte: spreadOf(times.map(({ firstByteMs }) => firstByteMs)),
  body: spreadOf(times.map(({ bodyMs }) => bodyMs)),
  settle: spreadOf(times.map(({ settleMs }) => settleMs)),
})

const best = (rounds: readonly Round[], key: keyof Round, samples: number) =>
  bestRound(
    rounds.map((round) => round[key]),
    samples,
  )

export async function withRuntime(
  options: Pick<OpenOptions, "tools" | "contextTokens">,
  work: (opened: Opened, provider: Provider) => Promise<Readings>,
): Promise<Readings> {
  const folders = makeFolders()
  const provider = await startProvider()
  const opened = await openBenchRuntime(folders, { providerUrl: provider.url, ...options })
  try {
    return await work(opened, provider)
  } finally {
    await opened.close()
    await provider.close()
    removeFolders(folders)
  }
}
