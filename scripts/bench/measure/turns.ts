/**
 * Latency of a turn: from the receipt of a prompt to the provider, and from its last byte to the
 * commit that settles the turn.
 *
 * Moments of the provider come from its own process, on the clock that both share. When a commit
 * was durable is told by the store; which commit settled a turn is read from the log afterwards.
 */
import { Effect } from "effect"
import type { Tool } from "@holdfast/core/tools/tool"
import type { SessionId } from "@holdfast/schema/id"
import { readTool } from "@holdfast/core/tools/index"
import { cutBack, writeHistory } from "../history.ts"
import { type Provider, startProvider } from "../provider-process.ts"
import type { Readings } from "../report.ts"
import {
  createSession,
  makeFolders,
  type Opened,
  openRuntime,
  removeFolders,
  sendPrompt,
  settled,
  takeTurn,
} from "../runtime.ts"
import { type Amount, bestRound, msOf, nowNs, samplesOf, type Spread, spreadOf } from "../sample.ts"

interface TurnTimes {
  readonly firstByteMs: number
  readonly bodyMs: number
  readonly settleMs: number
}

interface Round {
  readonly firstByte: Spread
  readonly body: Spread
  readonly settle: Spread
}

const warmTurns = 20
const samplesEach = 200

export async function measureFirstByteShort(amount: Amount): Promise<Readings> {
  return withRuntime([], async (opened, provider) => {
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
    const all = amount.rounds * samples
    return {
      "first-byte-10": best(short, "firstByte", all),
      "settle-10": best(short, "settle", all),
      "first-byte-1000": best(thousand, "firstByte", all),
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

const windowFull = 3_000

export async function measureFirstByteLong(amount: Amount): Promise<Readings> {
  return withRuntime([], async (opened, provider) => {
    const samples = samplesOf(amount, samplesEach)
    const sizes = [10_000, 100_000]
    const full: SessionId[] = []
    for (const messages of sizes) {
      full.push(await writeHistory(opened, { messages, window: windowFull, mode: "text" }))
    }
    const rounds: Round[][] = [[], [], []]
    await warm(opened, await writeHistory(opened, { messages: windowFull, mode: "text" }), warmTurns * 5)
    for (let round = 0; round < amount.rounds; round++) {
      const whole = await writeHistory(opened, { messages: windowFull, mode: "text" })
      for (const [at, session] of [whole, ...full].entries()) {
        if (session !== whole) await cutBack(opened, session, windowFull)
        await warm(opened, session, warmTurns)
        rounds[at]?.push(roundOf(await sampleTurns(opened, provider, session, samples)))
      }
    }
    const all = amount.rounds * samples
    const [whole = [], ...fullRounds] = rounds
    const firstByte = best(whole, "firstByte", all)
    const [tenThousand, hundredThousand] = fullRounds.map((measured) => {
      const { value, note } = best(measured, "firstByte", all)
      return { value: value / firstByte.value, samples: all, note: `${value.toFixed(2)} ms, ${note}` }
    })
    if (tenThousand === undefined || hundredThousand === undefined) throw new Error("A size is missing.")
    return {
      "first-byte-3000": firstByte,
      "body-3000": best(whole, "body", all),
      "settle-3000": best(whole, "settle", all),
      "first-byte-10000": tenThousand,
      "first-byte-100000": hundredThousand,
    }
  })
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
  return withRuntime([timed], async (opened, provider) => {
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
    return { "tool-turn-3000": bestRound(rounds, amount.rounds * samples) }
  })
}

async function warm(opened: Opened, session: SessionId, turns: number): Promise<void> {
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
  const receipts: { readonly seq: number; readonly ns: number }[] = []
  for (let i = 0; i < samples; i++) {
    const receipt = await sendPrompt(opened, session)
    receipts.push({ seq: receipt.admittedSeq, ns: nowNs() })
    await settled(opened, session)
  }
  stop()
  const { times } = await provider.take(samples)
  const settledNs = await settledAt(opened, session, receipts[0]?.seq ?? 0, commits)
  if (times.length !== samples || settledNs.length !== samples) {
    throw new Error(`${samples} prompts made ${times.length} requests and ${settledNs.length} turns.`)
  }
  return receipts.map((receipt, i) => ({
    firstByteMs: msOf((times[i]?.firstNs ?? Number.NaN) - receipt.ns),
    bodyMs: msOf((times[i]?.bodyNs ?? Number.NaN) - receipt.ns),
    settleMs: msOf((settledNs[i] ?? Number.NaN) - (times[i]?.endNs ?? Number.NaN)),
  }))
}

/** When each turn after a sequence was settled on disk. */
async function settledAt(
  { store }: Opened,
  session: SessionId,
  after: number,
  commits: readonly { readonly seq: number; readonly ns: number }[],
): Promise<readonly number[]> {
  const { events } = await Effect.runPromise(store.events(session, after, 100_000))
  return events.flatMap(({ fact, seq }) => {
    if (fact.type !== "turn.settled") return []
    return [commits.find((commit) => commit.seq >= seq)?.ns ?? Number.NaN]
  })
}

const roundOf = (times: readonly TurnTimes[]): Round => ({
  firstByte: spreadOf(times.map(({ firstByteMs }) => firstByteMs)),
  body: spreadOf(times.map(({ bodyMs }) => bodyMs)),
  settle: spreadOf(times.map(({ settleMs }) => settleMs)),
})

const best = (rounds: readonly Round[], key: keyof Round, samples: number) =>
  bestRound(
    rounds.map((round) => round[key]),
    samples,
  )

async function withRuntime(
  tools: readonly Tool[],
  work: (opened: Opened, provider: Provider) => Promise<Readings>,
): Promise<Readings> {
  const folders = makeFolders()
  const provider = await startProvider()
  const opened = await openRuntime(folders, { providerUrl: provider.url, tools })
  try {
    return await work(opened, provider)
  } finally {
    await opened.close()
    await provider.close()
    removeFolders(folders)
  }
}
