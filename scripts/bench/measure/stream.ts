/**
 * Streams: what a delta costs in CPU, and how long the event loop stands still under load.
 *
 * CPU is that of this whole process, the writer thread included, less what it uses when idle. The
 * provider is another process. A slow disk is the real writer behind a COMMIT that takes 10 ms more.
 */
import { existsSync, readdirSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { entryUrl, type Provider, startProvider } from "../provider-process.ts"
import { peerFolders } from "../peer-folders.ts"
import type { Reading, Readings } from "../report.ts"
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
import { type Amount, lowest, nowNs, samplesOf } from "../sample.ts"

const deltasOfStream = 5_000
const streamsOfRound = 5

export const measureDeltas = (amount: Amount): Promise<Readings> =>
  withRuntime(async (opened, provider) => {
    const idle = await measureIdle()
    const sdk = await findSdk(provider)
    const { best, samples } = await playRounds(amount, async (streams) => ({
      frames: await runStreams(opened, "frames", streams, idle),
      bursts: await runStreams(opened, "bursts", streams, idle),
      floor: await cpuPerDelta(streams, idle, () => readBare(`${provider.url}/frames`)),
      sdk: sdk === null ? Number.NaN : await cpuPerDelta(streams, idle, () => sdk("frames")),
      sdkBursts: sdk === null ? Number.NaN : await cpuPerDelta(streams, idle, () => sdk("bursts")),
    }))
    const reading = (value: number): Reading => ({ value, samples })
    const absent: Reading = { value: null, samples: 0, note: "not installed under PEERS_DIR or beside it" }
    const beside = (value: number): Reading => (sdk === null ? absent : reading(value))
    return {
      "delta-frames": reading(best("frames")),
      "delta-bursts": reading(best("bursts")),
      "delta-frames-floor": reading(best("floor")),
      "delta-frames-sdk": beside(best("sdk")),
      "delta-frames-against-sdk": beside(best("frames") / best("sdk")),
      "delta-bursts-against-sdk": beside(best("bursts") / best("sdkBursts")),
    }
  })

/** The same over another wire: its two rows, by their last words. */
export const measureWireDeltas = (wire: string, word: string, amount: Amount): Promise<Readings> =>
  withRuntime(async (opened, provider) => {
    const idle = await measureIdle()
    const { best, samples } = await playRounds(amount, async (streams) => ({
      frames: await runStreams(opened, "frames", streams, idle, wire),
      bursts: await runStreams(opened, "bursts", streams, idle, wire),
      floor: await cpuPerDelta(streams, idle, () => readBare(`${provider.url}/${wire}/frames`)),
    }))
    const note = `a bare client ${best("floor").toFixed(1)} µs`
    return {
      [`delta-frames-${word}`]: { value: best("frames"), samples, note },
      [`delta-bursts-${word}`]: { value: best("bursts"), samples },
    }
  })

/** A runtime and its provider, for as long as the work lasts. */
async function withRuntime<A>(
  work: (opened: Opened, provider: Provider) => Promise<A>,
  options: { readonly worker?: URL } = {},
): Promise<A> {
  const folders = makeFolders()
  const provider = await startProvider()
  const opened = await openRuntime(folders, { providerUrl: provider.url, ...options })
  try {
    return await work(opened, provider)
  } finally {
    await opened.close()
    await provider.close()
    removeFolders(folders)
  }
}

/** The best round of each thing that is measured; a round before them warms up. */
async function playRounds<K extends string>(
  { quick, rounds }: Amount,
  play: (streams: number) => Promise<Readonly<Record<K, number>>>,
) {
  const streams = quick ? 2 : streamsOfRound
  await play(streams)
  const measured: Readonly<Record<K, number>>[] = []
  for (let round = 0; round < rounds; round++) measured.push(await play(streams))
  const best = (key: K): number => lowest(measured.map((round) => round[key]))
  return { best, samples: rounds * streams * deltasOfStream }
}

async function runStreams(
  opened: Opened,
  mode: string,
  streams: number,
  idle: number,
  wire?: string,
): Promise<number> {
  const session = await createSession(opened, mode, wire)
  let deltas = 0
  const stop = opened.runtime.live.subscribe((event) => {
    if (event.type === "text-delta") deltas += 1
  })
  const cost = await cpuPerDelta(streams, idle, () => takeTurn(opened, session))
  stop()
  if (deltas !== streams * deltasOfStream) throw new Error(`${deltas} deltas were shown.`)
  return cost
}

/** Microseconds of CPU for each delta, above what an idle process uses in the same time. */
async function cpuPerDelta(streams: number, idleShare: number, stream: () => Promise<void>): Promise<number> {
  const { cpuUs, wallUs } = await cpuOf(async () => {
    for (let i = 0; i < streams; i++) await stream()
  })
  return (cpuUs - idleShare * wallUs) / (streams * deltasOfStream)
}

/** CPU that the open runtime uses of a core when nothing is asked of it; what is left of a start is not idle. */
async function measureIdle(): Promise<number> {
  const shares: number[] = []
  for (let look = 0; look < 5; look++) {
    const { cpuUs, wallUs } = await cpuOf(() => sleep(300))
    shares.push(cpuUs / wallUs)
  }
  return lowest(shares)
}

async function cpuOf(work: () => Promise<unknown>): Promise<{ cpuUs: number; wallUs: number }> {
  const before = process.cpuUsage()
  const startNs = nowNs()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { cpuUs: user + system, wallUs: (nowNs() - startNs) / 1e3 }
}

/** A client that only counts bytes: what the same stream costs without us. */
const readBare = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST" }, (incoming) => {
      incoming.on("data", () => {})
      incoming.on("end", resolve)
    })
    outgoing.on("error", reject)
    outgoing.end("{}")
  })

/** The official client of the same wire, where somebody has installed it outside this repository. */
async function findSdk({ url }: Provider): Promise<((mode: string) => Promise<void>) | null> {
  const name = join("node_modules", "@anthropic-ai", "sdk", "index.mjs")
  const parents = peerFolders().flatMap((folder) => [folder, ...subfolders(folder)])
  const file = parents.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (file === undefined) return null
  const { default: Client } = (await import(pathToFileURL(file).href)) as {
    readonly default: new (options: object) => {
      readonly messages: {
        readonly stream: (body: object) => { readonly finalMessage: () => Promise<object> }
      }
    }
  }
  const clientOf = (mode: string) => new Client({ apiKey: "none", baseURL: `${url}/${mode}` })
  const body = { model: "bench", max_tokens: 8_192, messages: [{ role: "user", content: "Go." }] }
  return async (mode) => void (await clientOf(mode).messages.stream(body).finalMessage())
}

const subfolders = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [join(folder, entry.name)] : [],
  )

export async function measureStall(amount: Amount): Promise<Readings> {
  return {
    "stall-load": await withRuntime((opened) => stallReading(opened, amount)),
    "stall-slow-disk": await withRuntime((opened) => stallReading(opened, amount), {
      worker: entryUrl("slow-writer"),
    }),
  }
}

async function stallReading(opened: Opened, amount: Amount): Promise<Reading> {
  const stalls: number[] = []
  let samples = 0
  let admitted = 0
  for (let round = 0; round < amount.rounds; round++) {
    const measured = await stallRound(opened, samplesOf(amount, 4_000))
    stalls.push(measured.p99Ms)
    samples += measured.samples
    admitted = Math.max(admitted, measured.admissions)
  }
  return { value: lowest(stalls), samples, note: `${Math.round(admitted)} admissions/s` }
}

const callers = 64
const streaming = 20

async function stallRound(opened: Opened, durationMs: number) {
  const idle = await Promise.all(Array.from({ length: callers }, () => createSession(opened, "text")))
  const live = await Promise.all(Array.from({ length: streaming }, () => createSession(opened, "paced")))
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const endNs = nowNs() + durationMs * 1e6
  let admitted = 0
  delay.enable()
  await Promise.all([
    ...idle.map(async (session) => {
      for (; nowNs() < endNs; admitted++) await sendPrompt(opened, session, false)
    }),
    ...live.map(async (session) => {
      while (nowNs() < endNs) {
        await sendPrompt(opened, session)
        await settled(opened, session)
      }
    }),
  ])
  delay.disable()
  const seconds = durationMs / 1e3
  return { p99Ms: delay.percentile(99) / 1e6, samples: delay.count, admissions: admitted / seconds }
}
