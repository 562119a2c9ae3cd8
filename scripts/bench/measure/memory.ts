/**
 * Memory: resident size of a process that runs the bundle and has only just opened a store.
 *
 * Histories are written by this process, read by another: what building them left behind on a heap
 * is not counted.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { Effect } from "effect"
import type { Tool } from "@holdfast/core/tools/tool"
import type { SessionId } from "@holdfast/schema/id"
import { writeHistory } from "../history.ts"
import { entryUrl, startProvider } from "../provider-process.ts"
import type { Reading, Readings } from "../report.ts"
import { createSession, type Folders, makeFolders, openRuntime, removeFolders, takeTurn } from "../runtime.ts"
import { type Amount, lowest, median, samplesOf, slopeOf, slowSamples } from "../sample.ts"

export const megabytes = (bytes: number): number => bytes / 1_048_576

/** What the process under measurement is told to do. */
export interface Occupation {
  readonly folders: Folders
  readonly providerUrl: string
  /** Each Session takes its turns one after another. */
  readonly sessions: readonly SessionId[]
  readonly turnsEach: number
  readonly together: boolean
}

export async function measureMemory(amount: Amount): Promise<Readings> {
  const provider = await startProvider()
  const occupations: Folders[] = []
  const read = async (build: Build): Promise<Reading> => {
    const folders = makeFolders()
    occupations.push(folders)
    const opened = await openRuntime(folders, { providerUrl: provider.url })
    const occupation = await build(opened)
    await opened.close()
    const rounds: number[] = []
    let samples = 0
    for (let round = 0; round < amount.rounds; round++) {
      const sizes = await occupy({ folders, providerUrl: provider.url, ...occupation })
      samples += sizes.length
      rounds.push(median(sizes))
    }
    return { value: lowest(rounds), samples }
  }
  try {
    return {
      "memory-10": await read(shortSessions(amount)),
      "memory-3000": await read(longSession(amount)),
      "memory-sessions": await read(manySessions(amount)),
    }
  } finally {
    await provider.close()
    occupations.forEach(removeFolders)
  }
}

type Build = (
  opened: Awaited<ReturnType<typeof openRuntime>>,
) => Promise<Pick<Occupation, "sessions" | "turnsEach" | "together">>

const shortSessions =
  (amount: Amount): Build =>
  async (opened) => {
    const sessions: SessionId[] = []
    for (let i = 0; i < Math.ceil(samplesOf(amount, slowSamples) / 3); i++) {
      sessions.push(await writeHistory(opened, { messages: 6, mode: "text" }))
    }
    return { sessions, turnsEach: 3, together: false }
  }

const longSession =
  (amount: Amount): Build =>
  async (opened) => ({
    sessions: [await writeHistory(opened, { messages: 3_000, mode: "text" })],
    turnsEach: samplesOf(amount, slowSamples),
    together: false,
  })

const storedSessions = 1_000
const activeSessions = 20

const manySessions =
  (amount: Amount): Build =>
  async (opened) => {
    for (let i = 0; i < samplesOf(amount, storedSessions); i++) {
      await writeHistory(opened, { messages: 10, mode: "text" })
    }
    const sessions = await Promise.all(
      Array.from({ length: activeSessions }, () => createSession(opened, "paced")),
    )
    return { sessions, turnsEach: 2, together: true }
  }

async function occupy(occupation: Occupation): Promise<readonly number[]> {
  const child = fork(entryUrl("memory-subject"), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    execArgv: [],
  })
  const exited = once(child, "exit")
  child.send(occupation)
  const [sizes] = (await Promise.race([
    once(child, "message"),
    exited.then(() => Promise.reject(new Error("The process ended without a result."))),
  ])) as [readonly number[]]
  await exited
  return sizes
}

const outputCharacters = 1_000_000
const line = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n"

/** A tool whose every output is a megabyte of its own. */
const blobTool: Tool = {
  name: "blob",
  description: "Returns a megabyte of text.",
  inputSchema: { type: "object", properties: {} },
  repeatable: true,
  run: () => Effect.sync(() => ({ text: Buffer.alloc(outputCharacters, line).toString() })),
}

export async function measureMemorySlope(amount: Amount): Promise<Readings> {
  const provider = await startProvider()
  try {
    const rounds: Slope[] = []
    for (let round = 0; round < amount.rounds; round++) rounds.push(await slopeOfRound(amount, provider.url))
    const slopes = rounds.map(({ slope }) => slope)
    const note = `each round: ${slopes.map((slope) => slope.toFixed(1)).join(", ")} MB; at last ${rounds.map(({ last }) => Math.round(last)).join(", ")} MB`
    return {
      "memory-slope": {
        value: lowest(slopes),
        samples: rounds.reduce((sum, one) => sum + one.samples, 0),
        note,
      },
    }
  } finally {
    await provider.close()
  }
}

interface Slope {
  /** Megabytes in a thousand turns, after a quarter of them. */
  readonly slope: number
  readonly last: number
  readonly samples: number
}

async function slopeOfRound(amount: Amount, providerUrl: string): Promise<Slope> {
  const turns = amount.quick ? 300 : 2_000
  const folders = makeFolders()
  const opened = await openRuntime(folders, { providerUrl, contextTokens: 200_000, tools: [blobTool] })
  try {
    const session = await createSession(opened, "blob")
    const sizes: number[] = []
    for (let turn = 0; turn < turns; turn++) {
      await takeTurn(opened, session)
      sizes.push(megabytes(process.memoryUsage.rss()))
    }
    const after = sizes.slice(turns / 4)
    return { slope: slopeOf(after) * 1_000, last: median(sizes.slice(-50)), samples: after.length }
  } finally {
    await opened.close()
    removeFolders(folders)
  }
}
