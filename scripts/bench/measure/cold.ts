/**
 * Cold starts: from the spawn of a process to what it does first.
 *
 * Both `holdfast run` and `holdfast serve` run from the bundle through the launcher, as installed. One
 * run before the others fills the compile cache and makes the store. A start takes long, so a round
 * has 67 of them and three rounds together 200.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { type Provider, startProvider } from "../provider-process.ts"
import type { Readings } from "../report.ts"
import { type Folders, makeFolders, removeFolders } from "../runtime.ts"
import { configure, environmentOf, launcherPath, startServe } from "../serve-command.ts"
import {
  type Amount,
  bestRound,
  msOf,
  nowNs,
  samplesOf,
  slowSamples,
  type Spread,
  spreadOf,
} from "../sample.ts"

export async function measureColdRun(amount: Amount): Promise<Readings> {
  return withProvider(async (folders, provider) => {
    const launcher = launcherPath()
    const rounds: Spread[] = []
    const empty: Spread[] = []
    const samples = samplesOf(amount, slowSamples)
    await coldRun(launcher, folders, provider)
    for (let round = 0; round < amount.rounds; round++) {
      const times: number[] = []
      const emptyTimes: number[] = []
      for (let i = 0; i < samples; i++) {
        times.push(await coldRun(launcher, folders, provider))
        emptyTimes.push(await emptyRun(folders))
      }
      rounds.push(spreadOf(times))
      empty.push(spreadOf(emptyTimes))
    }
    return { "cold-run": bestRound(rounds, samples), "cold-run-floor": bestRound(empty, samples) }
  })
}

/** A process that does nothing: what the platform takes of each start. */
async function emptyRun(folders: Folders): Promise<number> {
  const startNs = nowNs()
  await once(spawn(process.execPath, ["-e", "0"], { env: environmentOf(folders), stdio: "ignore" }), "exit")
  return msOf(nowNs() - startNs)
}

async function coldRun(launcher: string, folders: Folders, provider: Provider): Promise<number> {
  const startNs = nowNs()
  const argv = [launcher, "run", "--dir", folders.project, "Say that all is well."]
  const child = spawn(process.execPath, argv, {
    env: environmentOf(folders),
    stdio: ["ignore", "ignore", "inherit"],
  })
  const [code] = (await once(child, "exit")) as [number | null]
  const { times } = await provider.take()
  const first = times[0]
  if (code !== 0 || first === undefined) throw new Error(`The run ended with code ${code}.`)
  return msOf(first.firstNs - startNs)
}

export async function measureServer(amount: Amount): Promise<Readings> {
  return withProvider(async (folders, provider) => {
    const listening: Spread[] = []
    const firstByte: Spread[] = []
    const samples = samplesOf(amount, slowSamples)
    await serveOnce(folders, provider)
    for (let round = 0; round < amount.rounds; round++) {
      const times: { listening: number; firstByte: number }[] = []
      for (let i = 0; i < samples; i++) times.push(await serveOnce(folders, provider))
      listening.push(spreadOf(times.map((time) => time.listening)))
      firstByte.push(spreadOf(times.map((time) => time.firstByte)))
    }
    return {
      "server-listening": bestRound(listening, samples),
      "server-first-byte": bestRound(firstByte, samples),
    }
  })
}

async function serveOnce(folders: Folders, provider: Provider) {
  const startNs = nowNs()
  const server = await startServe(folders)
  try {
    const session = await server.create("bench")
    const promptNs = nowNs()
    await server.prompt(session)
    const first = (await provider.take(1)).times[0]
    if (first === undefined) throw new Error("The prompt never reached the provider.")
    return { listening: msOf(server.listeningNs - startNs), firstByte: msOf(first.firstNs - promptNs) }
  } finally {
    await server.stop()
  }
}

async function withProvider(
  work: (folders: Folders, provider: Provider) => Promise<Readings>,
): Promise<Readings> {
  const folders = makeFolders()
  const provider = await startProvider()
  configure(folders, { bench: `${provider.url}/text` }, 200_000)
  try {
    return await work(folders, provider)
  } finally {
    await provider.close()
    removeFolders(folders)
  }
}
