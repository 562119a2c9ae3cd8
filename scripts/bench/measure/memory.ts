/**
 * Memory: resident size of `holdfast serve` from the bundle, and how it grows with large outputs.
 *
 * One server a round, in the order in which the peers were measured: Sessions of ten messages, then
 * one Session that grows to 3,000 messages by real turns, all in the same process; the provider is
 * that of packages/provider-sim. A turn is a prompt and the question for its result. The size is
 * noted after each, without a rest for the collector. Then a server starts anew on what was stored.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { writeHistory } from "../history.ts"
import { entryUrl, type Provider, startProvider } from "../provider-process.ts"
import type { Reading, Readings } from "../report.ts"
import { type Folders, makeFolders, openBenchRuntime, removeFolders } from "../runtime.ts"
import { type Amount, lowest, median, samplesOf, slopeOf, slowSamples } from "../sample.ts"
import { configure, residentMegabytes, type ServeCommand, startServe } from "../serve-command.ts"

const samplesEach = 200
/** A window that holds everything. */
const contextTokens = 4_000_000

export async function measureMemory(amount: Amount): Promise<Readings> {
  const sim = await startSim()
  const provider = await startProvider()
  try {
    const rounds: GrownRound[] = []
    for (let round = 0; round < amount.rounds; round++) rounds.push(await grownRound(amount, sim.url))
    return {
      "memory-10": bestOf(rounds.map(({ short }) => short)),
      "memory-3000": bestOf(
        rounds.map(({ long }) => long),
        rounds.map(({ rested }) => rested),
      ),
      "memory-3000-restarted": bestOf(rounds.map(({ restarted }) => restarted)),
      "memory-sessions": bestOf(await sessionRounds(amount, provider)),
    }
  } finally {
    await provider.close()
    await sim.close()
  }
}

type Sizes = readonly number[]

interface GrownRound {
  readonly short: Sizes
  readonly long: Sizes
  /** A while after the last turn, as the peers were measured. */
  readonly rested: number
  readonly restarted: Sizes
}

/** The best round as a reading; its note tells all of them, and what they were after a rest. */
function bestOf(rounds: readonly Sizes[], rested: Sizes = []): Reading {
  const medians = rounds.map(median)
  const samples = lowest(rounds.map((sizes) => sizes.length))
  const list = (sizes: Sizes): string => `${sizes.map((size) => size.toFixed(0)).join(", ")} MB`
  const peaks = rounds.map((sizes) => Math.max(...sizes))
  const rest = rested.length > 0 ? `; after ${restMs / 1e3} s of rest ${list(rested)}` : ""
  const note = `rounds ${list(medians)}, at most ${list(peaks)}${rest}`
  return { value: lowest(medians), samples, rounds: rounds.length, note }
}

const shortTurns = 5
const longMessages = 3_000
/** As long as the peers rested before they were looked at. */
const restMs = 1_500

async function grownRound(amount: Amount, simUrl: string): Promise<GrownRound> {
  const folders = makeFolders()
  configure(folders, { sim: simUrl }, contextTokens)
  const samples = samplesOf(amount, samplesEach)
  try {
    const { session, ...grown } = await withServe(folders, async (server) => {
      const short: number[] = []
      while (short.length < samples) {
        short.push(...(await sizesOf(server, await server.create("sim"), shortTurns)))
      }
      const long = await server.create("sim")
      await sizesOf(server, long, samplesOf(amount, longMessages / 2))
      const sizes = await sizesOf(server, long, samples)
      await sleep(restMs)
      return { session: long, short, long: sizes, rested: residentMegabytes(server.pid) }
    })
    const fewer = samplesOf(amount, slowSamples)
    const restarted = await withServe(folders, (server) => sizesOf(server, session, fewer))
    return { ...grown, restarted }
  } finally {
    removeFolders(folders)
  }
}

async function withServe<A>(
  folders: Folders,
  work: (server: ServeCommand) => Promise<A>,
  options: readonly string[] = [],
): Promise<A> {
  const server = await startServe(folders, options)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

/** Resident size after each of so many turns. */
async function sizesOf(server: ServeCommand, session: string, turns: number): Promise<Sizes> {
  const sizes: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    await server.turn(session)
    sizes.push(residentMegabytes(server.pid))
  }
  return sizes
}

const storedSessions = 1_000
const activeSessions = 20
const activeTurns = 2
const everyMs = 15

/** The stored Sessions are written by this process; the server finds them when it starts. */
async function sessionRounds(amount: Amount, provider: Provider): Promise<readonly Sizes[]> {
  const folders = makeFolders()
  configure(folders, { paced: `${provider.url}/paced` }, contextTokens)
  try {
    const opened = await openBenchRuntime(folders, { providerUrl: provider.url })
    for (let i = 0; i < samplesOf(amount, storedSessions); i++) {
      await writeHistory(opened, { messages: 10, mode: "text" })
    }
    await opened.close()
    const rounds: Sizes[] = []
    for (let round = 0; round < amount.rounds; round++)
      rounds.push(await withServe(folders, sizesWhileActive))
    return rounds
  } finally {
    removeFolders(folders)
  }
}

async function sizesWhileActive(server: ServeCommand): Promise<Sizes> {
  const sessions = await Promise.all(Array.from({ length: activeSessions }, () => server.create("paced")))
  const sizes: number[] = []
  const timer = setInterval(() => void sizes.push(residentMegabytes(server.pid)), everyMs)
  await Promise.all(
    sessions.map(async (session) => {
      for (let turn = 0; turn < activeTurns; turn++) await server.turn(session)
    }),
  ).finally(() => clearInterval(timer))
  return sizes
}

async function startSim(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const child = fork(entryUrl("sim"), { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] })
  const exited = once(child, "exit")
  const [url] = (await Promise.race([
    once(child, "message"),
    exited.then(() => Promise.reject(new Error("The simulated provider did not start."))),
  ])) as [string]
  return {
    url,
    close: async () => {
      child.disconnect()
      await exited
    },
  }
}

/** Noise can make a slope better as well as worse, so the median round counts, never the best. */
export async function measureMemorySlope(amount: Amount): Promise<Readings> {
  const provider = await startProvider()
  const turns = amount.quick ? 300 : 2_000
  try {
    const rounds: Sizes[] = []
    for (let round = 0; round < amount.rounds; round++) rounds.push(await outputRound(provider, turns))
    const warm = turns / 4
    // Megabytes in a thousand turns, after a quarter of them.
    const slopes = rounds.map((sizes) => slopeOf(sizes.slice(warm)) * 1_000)
    const last = rounds.map((sizes) => median(sizes.slice(-50)))
    const each = slopes.map((slope) => slope.toFixed(1)).join(", ")
    return {
      "memory-slope": {
        value: median(slopes),
        samples: turns - warm,
        rounds: rounds.length,
        note: `median of ${each} MB, a fresh server each; at last ${last.map(Math.round).join(", ")} MB`,
      },
    }
  } finally {
    await provider.close()
  }
}

/** One Session whose every turn runs a command with a megabyte of output, in a window that has to be cut. */
async function outputRound(provider: Provider, turns: number): Promise<Sizes> {
  const folders = makeFolders()
  configure(folders, { blob: `${provider.url}/blob` }, 200_000)
  try {
    return await withServe(folders, async (server) => sizesOf(server, await server.create("blob"), turns), [
      "--allow",
      "bash",
    ])
  } finally {
    removeFolders(folders)
  }
}
