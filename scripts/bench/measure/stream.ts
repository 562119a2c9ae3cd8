/**
 * Streams: what a delta costs in CPU, and how long the event loop stands still under load.
 *
 * CPU is that of this whole process, the writer thread included, less what it uses when idle. The
 * provider is another process. A slow disk is the real writer behind a COMMIT that takes 10 ms more.
 */
import { request } from "node:http"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { entryUrl, type Provider, startProvider } from "../provider-process.ts"
import { findSdkFile, sdkMissing } from "../peer-folders.ts"
import type { Reading, Readings } from "../report.ts"
import {
  createSession,
  makeFolders,
  type Opened,
  openBenchRuntime,
  removeFolders,
  sendPrompt,
  settled,
  takeTurn,
} from "../runtime.ts"
import { type Amount, lowest, nowNs, samplesOf } from "../sample.ts"

const deltasOfStream = 5_000
const streamsOfRound = 5
/** Of a stream of one frame every 10 ms. */
const deltasSlow = 400

export const measureDeltas = (amount: Amount): Promise<Readings> =>
  withRuntime(async (opened, provider) => {
    const idle = await measureIdle()
    const sdk = await loadSdk(provider)
    const { best, samples } = await playRounds(amount, async (streams) => ({
      frames: await runStreams(opened, { mode: "frames", streams, idle }),
      bursts: await runStreams(opened, { mode: "bursts", streams, idle }),
      floor: await cpuPerDelta({ streams, idle }, () => readBare(`${provider.url}/frames`)),
      sdk: sdk === null ? Number.NaN : await cpuPerDelta({ streams, idle }, () => sdk("frames")),
      sdkBursts: sdk === null ? Number.NaN : await cpuPerDelta({ streams, idle }, () => sdk("bursts")),
    }))
    const reading = (value: number, note?: string): Reading => ({
      value,
      samples,
      rounds: amount.rounds,
      ...(note === undefined ? {} : { note }),
    })
    const beside = (value: number): Reading =>
      sdk === null ? { value: null, samples: 0, rounds: 0, note: sdkMissing } : reading(value)
    return {
      "delta-frames": reading(best("frames"), framesNote),
      "delta-bursts": reading(best("bursts")),
      "delta-frames-floor": reading(best("floor")),
      "delta-frames-10ms": await slowReading(opened, provider, { idle, sdk, rounds: amount.rounds }),
      "delta-frames-sdk": beside(best("sdk")),
      "delta-frames-against-sdk": beside(best("frames") / best("sdk")),
      "delta-bursts-against-sdk": beside(best("bursts") / best("sdkBursts")),
    }
  })

/** What `one frame per write` is and what it is not; docs/benchmarks.md says more. */
const framesNote = "written 50 µs apart; our reader rests 6 ms and takes what came at once"

type Sdk = (mode: string) => Promise<void>

/** Frames so far apart that every reader takes each by itself; a stream has few, so a turn's own cost shows. */
async function slowReading(
  opened: Opened,
  { url }: Provider,
  { idle, sdk, rounds }: { readonly idle: number; readonly sdk: Sdk | null; readonly rounds: number },
): Promise<Reading> {
  const cost = { streams: 1, idle, deltas: deltasSlow }
  const ours: number[] = []
  const bare: number[] = []
  const official: number[] = []
  for (let round = 0; round < rounds; round++) {
    ours.push(await runStreams(opened, { ...cost, mode: "slow" }))
    bare.push(await cpuPerDelta(cost, () => readBare(`${url}/slow`)))
    if (sdk !== null) official.push(await cpuPerDelta(cost, () => sdk("slow")))
  }
  const sdkTold = sdk === null ? "" : `, the official SDK ${lowest(official).toFixed(0)} µs`
  const note = `a bare client ${lowest(bare).toFixed(0)} µs${sdkTold}; the turn around the stream included`
  return { value: lowest(ours), samples: deltasSlow, rounds, note }
}

/** The same over another wire: its two rows, by their last words. */
export const measureWireDeltas = (wire: string, word: string, amount: Amount): Promise<Readings> =>
  withRuntime(async (opened, provider) => {
    const idle = await measureIdle()
    const { best, samples } = await playRounds(amount, async (streams) => ({
      frames: await runStreams(opened, { mode: "frames", streams, idle, wire }),
      bursts: await runStreams(opened, { mode: "bursts", streams, idle, wire }),
      floor: await cpuPerDelta({ streams, idle }, () => readBare(`${provider.url}/${wire}/frames`)),
    }))
    const { rounds } = amount
    const note = `a bare client ${best("floor").toFixed(1)} µs; ${framesNote}`
    return {
      [`delta-frames-${word}`]: { value: best("frames"), samples, rounds, note },
      [`delta-bursts-${word}`]: { value: best("bursts"), samples, rounds },
    }
  })

/** A runtime and its provider, for as long as the work lasts. */
export async function withRuntime<A>(
  work: (opened: Opened, provider: Provider) => Promise<A>,
  options: { readonly worker?: URL } = {},
): Promise<A> {
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
  return { best, samples: streams * deltasOfStream }
}

interface Cost {
  readonly streams: number
  /** CPU of an idle process, as share of a core. */
  readonly idle: number
  /** Of each stream. */
  readonly deltas?: number
}

export async function runStreams(
  opened: Opened,
  { mode, wire, ...cost }: Cost & { readonly mode: string; readonly wire?: string },
): Promise<number> {
  const session = await createSession(opened, mode, wire)
  let deltas = 0
  const stop = opened.runtime.live.subscribe((event) => {
    if (event.type === "text-delta") deltas += 1
  })
  const perDelta = await cpuPerDelta(cost, () => takeTurn(opened, session))
  stop()
  const { streams, deltas: each = deltasOfStream } = cost
  if (deltas !== streams * each) throw new Error(`${deltas} deltas were shown.`)
  return perDelta
}

/** Microseconds of CPU for each delta, above what an idle process uses in the same time. */
async function cpuPerDelta(
  { streams, idle, deltas = deltasOfStream }: Cost,
  stream: () => Promise<void>,
): Promise<number> {
  const { cpuUs, wallUs } = await cpuOf(async () => {
    for (let i = 0; i < streams; i++) await stream()
  })
  return (cpuUs - idle * wallUs) / (streams * deltas)
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
async function loadSdk({ url }: Provider): Promise<Sdk | null> {
  const file = findSdkFile()
  if (file === null) return null
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
  const counts: number[] = []
  let admitted = 0
  for (let round = 0; round < amount.rounds; round++) {
    const measured = await stallRound(opened, samplesOf(amount, 4_000))
    stalls.push(measured.p99Ms)
    counts.push(measured.samples)
    admitted = Math.max(admitted, measured.admissions)
  }
  const note = `${Math.round(admitted)} admissions/s`
  return { value: lowest(stalls), samples: lowest(counts), rounds: amount.rounds, note }
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
