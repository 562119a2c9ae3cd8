/**
 * The server as the generated client sees it: admissions, pages, and what readers of its live events cost.
 *
 * Clients are a process of their own (client-process.ts). Idle readers are measured at `holdfast serve`
 * as a user starts it, beside a second one without any: every other admission goes to the other server.
 */
import { listen, makeHandler } from "@holdfast/server"
import { type Address, type ClientProcess, startClients } from "../client-process.ts"
import { writeHistory } from "../history.ts"
import { startProvider } from "../provider-process.ts"
import type { Readings } from "../report.ts"
import { createSession, makeFolders, type Opened, removeFolders, takeTurn } from "../runtime.ts"
import { type Amount, highest, lowest, median, samplesOf } from "../sample.ts"
import { configure, residentMegabytes, startServe } from "../serve-command.ts"
import { createSessions } from "./admission.ts"
import { withRuntime } from "./stream.ts"

const callersMany = 64
const pageCallers = 8
const pageSize = 100

export const measureClient = (amount: Amount): Promise<Readings> =>
  withServer(async (opened, at, clients) => {
    const sessions = await createSessions(opened)
    const session = await writeHistory(opened, { messages: 4 * pageSize, mode: "text" })
    const admissions = { at, sessions, callers: callersMany, each: samplesOf(amount, 60) }
    const pages = { at, session, size: pageSize, callers: pageCallers, each: samplesOf(amount, 60) }
    await clients.ask("admit", { ...admissions, each: 20 })
    await clients.ask("pages", { ...pages, each: 10 })
    const rounds: { readonly perSecond: number; readonly p99Ms: number; readonly pages: number }[] = []
    for (let round = 0; round < amount.rounds; round++) {
      const admitted = await clients.ask("admit", admissions)
      rounds.push({ ...admitted, pages: (await clients.ask("pages", pages)).perSecond })
    }
    const reading = (value: number, samples: number) => ({ value, samples, rounds: amount.rounds })
    const admitted = admissions.callers * admissions.each
    return {
      "client-admit-64": reading(highest(rounds.map(({ perSecond }) => perSecond)), admitted),
      "client-admit-p99": reading(lowest(rounds.map(({ p99Ms }) => p99Ms)), admitted),
      "client-pages": reading(highest(rounds.map((round) => round.pages)), pages.callers * pages.each),
    }
  })

/** The server is in this process. */
const withServer = <A>(
  work: (opened: Opened, at: Address, clients: ClientProcess) => Promise<A>,
): Promise<A> =>
  withRuntime(async (opened) => {
    const token = "bench"
    const { project: defaultDirectory } = opened
    const served = makeHandler(opened.runtime, { token, defaultDirectory, version: "bench" })
    const server = await listen(served.answer)
    const clients = startClients()
    try {
      return await work(opened, { url: server.url, token }, clients)
    } finally {
      await clients.close()
      await server.close()
      await served.dispose()
    }
  })

const readersIdle = 1_000

export async function measureSubscribers(amount: Amount): Promise<Readings> {
  const pairs = samplesOf(amount, 300)
  const rounds: { readonly megabytes: number; readonly ratio: number; readonly note: string }[] = []
  for (let round = 0; round < amount.rounds; round++) rounds.push(await subscribersRound(pairs))
  const megabytes = rounds.map((each) => each.megabytes)
  return {
    "subscribers-memory": {
      value: highest(megabytes),
      samples: 1,
      rounds: amount.rounds,
      note: `rounds ${megabytes.map((size) => size.toFixed(0)).join(", ")} MB, fresh servers each`,
    },
    // Noise can make a ratio better as well as worse.
    "subscribers-admit": {
      value: median(rounds.map(({ ratio }) => ratio)),
      samples: pairs,
      rounds: amount.rounds,
      note: rounds.map(({ note }) => note).join(", "),
    },
  }
}

async function subscribersRound(pairs: number) {
  const provider = await startProvider()
  const places = [makeFolders(), makeFolders()] as const
  for (const folders of places) configure(folders, { text: `${provider.url}/text` }, 200_000)
  const [plain, read] = await Promise.all([startServe(places[0]), startServe(places[1])])
  const clients = startClients()
  try {
    const first = { url: plain.url, token: plain.token, session: await plain.create("text") }
    const second = { url: read.url, token: read.token, session: await read.create("text") }
    await clients.ask("compare", { first, second, pairs: Math.ceil(pairs / 2) })
    const before = residentMegabytes(read.pid)
    await clients.ask("subscribe", { at: second, readers: readersIdle })
    const { firstMs, secondMs } = await clients.ask("compare", { first, second, pairs })
    const megabytes = residentMegabytes(read.pid) - before
    const note = `${secondMs.toFixed(2)} ms against ${firstMs.toFixed(2)} ms`
    return { megabytes, ratio: secondMs / firstMs, note }
  } finally {
    await clients.close()
    await Promise.all([plain.stop(), read.stop()])
    await provider.close()
    for (const folders of places) removeFolders(folders)
  }
}

const readersMany = 100
/** Of the paced stream: a delta every 5 ms, so that each is written by itself to every reader. */
const deltasOfStream = 400

/** CPU of the server with readers, less that of the same turn without any. */
export const measureFanOut = (amount: Amount): Promise<Readings> =>
  withServer(async (opened, at, clients) => {
    const session = await createSession(opened, "paced")
    const cpuOfTurn = async (readers: number): Promise<number> => {
      const before = process.cpuUsage()
      await takeTurn(opened, session)
      await clients.ask("deltas", { atLeast: readers * deltasOfStream })
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const round = async (): Promise<number> => {
      await clients.ask("subscribe", { at, readers: 0 })
      const alone = await cpuOfTurn(0)
      await clients.ask("subscribe", { at, readers: readersMany, session })
      const read = await cpuOfTurn(readersMany)
      await clients.ask("leave", {})
      return (read - alone) / (readersMany * deltasOfStream)
    }
    await round()
    const found: number[] = []
    for (let each = 0; each < amount.rounds; each++) found.push(await round())
    const samples = readersMany * deltasOfStream
    return { "fan-out": { value: lowest(found), samples, rounds: amount.rounds } }
  })
