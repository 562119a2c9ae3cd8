/**
 * Cold starts: from the spawn of a process to what it does first.
 *
 * The command runs from its bundle through its launcher; the server is started as the launcher
 * would start it. One run before the others fills the compile cache and makes the store.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { entryUrl, type Provider, startProvider } from "../provider-process.ts"
import type { Readings } from "../report.ts"
import { type Folders, makeFolders, removeFolders } from "../runtime.ts"
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
    const launcher = process.env["HOLDFAST_BENCH_LAUNCHER"] ?? "packages/cli/bin/holdfast.js"
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
    const all = amount.rounds * samples
    return { "cold-run": bestRound(rounds, all), "cold-run-floor": bestRound(empty, all) }
  })
}

/** A process that does nothing: what the platform takes of each start. */
async function emptyRun(folders: Folders): Promise<number> {
  const startNs = nowNs()
  await once(spawn(process.execPath, ["-e", "0"], { env: environment(folders), stdio: "ignore" }), "exit")
  return msOf(nowNs() - startNs)
}

async function coldRun(launcher: string, folders: Folders, provider: Provider): Promise<number> {
  const startNs = nowNs()
  const argv = [launcher, "run", "--dir", folders.project, "Say that all is well."]
  const child = spawn(process.execPath, argv, {
    env: environment(folders),
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
    const all = amount.rounds * samples
    return {
      "server-listening": bestRound(listening, all),
      "server-first-byte": bestRound(firstByte, all),
    }
  })
}

async function serveOnce(folders: Folders, provider: Provider) {
  const startNs = nowNs()
  const argv = [fileURLToPath(entryUrl("serve")), folders.project]
  const child = spawn(process.execPath, argv, {
    env: environment(folders),
    stdio: ["pipe", "pipe", "inherit"],
  })
  try {
    const url = await firstLine(child)
    const listening = msOf(nowNs() - startNs)
    const created = await post(`${url}/api/session`, {})
    const promptNs = nowNs()
    await post(`${url}/api/session/${created["id"]}/prompt`, { text: "Say that all is well." })
    const first = (await provider.take(1)).times[0]
    if (first === undefined) throw new Error("The prompt never reached the provider.")
    return { listening, firstByte: msOf(first.firstNs - promptNs) }
  } finally {
    const exited = child.exitCode === null ? once(child, "exit") : null
    child.stdin?.end()
    await exited
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = ""
  for await (const piece of child.stdout ?? []) {
    text += String(piece)
    if (text.includes("\n")) return text.trim()
  }
  throw new Error("The server did not start.")
}

async function post(url: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: "Bearer bench", "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

/** Nothing of the user's home, configuration or keys, and a compile cache that goes with the folder. */
function environment({ root, dataDir }: Folders): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: root,
    NO_COLOR: "1",
    NODE_COMPILE_CACHE: join(root, "compile-cache"),
    HOLDFAST_CONFIG_DIR: join(root, "config"),
    HOLDFAST_DATA_DIR: dataDir,
  }
}

async function withProvider(
  work: (folders: Folders, provider: Provider) => Promise<Readings>,
): Promise<Readings> {
  const folders = makeFolders()
  const provider = await startProvider()
  const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
  const bench = { wire: "anthropic-messages", baseUrl: `${provider.url}/text`, models }
  mkdirSync(join(folders.root, "config"))
  writeFileSync(
    join(folders.root, "config", "holdfast.jsonc"),
    JSON.stringify({ providers: { bench }, model: "bench/agent" }),
  )
  try {
    return await work(folders, provider)
  } finally {
    await provider.close()
    removeFolders(folders)
  }
}
