/**
 * The 300-turn coding session that measured the peers, where its material lies beside us.
 *
 * Turns, files and the ruler of the cache are the peers' own modules, loaded from their folder; the
 * provider answers their steps and scores every request. Nothing of them is part of this repository.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect } from "effect"
import { createBashTool } from "@holdfast/core/tools/index"
import { peerFolders } from "../peer-folders.ts"
import { type Provider, startProvider, type Step } from "../provider-process.ts"
import type { Readings } from "../report.ts"
import { createSession, makeFolders, type Opened, openBenchRuntime, removeFolders } from "../runtime.ts"
import { type Amount, nowNs } from "../sample.ts"

interface PeerStep {
  readonly gen: number
  readonly seed: number
  readonly tools?: readonly { readonly name: string; readonly input: object }[]
}

interface Material {
  readonly turns: number
  readonly files: (directory: string) => void
  readonly turn: (
    at: number,
    directory: string,
  ) => { readonly user: string; readonly steps: readonly PeerStep[] }
  readonly text: (characters: number, seed: number) => string
  readonly oracle: string
}

const names = ["read-share", "cost", "breaks", "request", "wall"].map((name) => `workload-${name}`)

export async function measureWorkload(amount: Amount): Promise<Readings> {
  const material = await loadMaterial()
  if (material === null) {
    const absent = { value: null, samples: 0, rounds: 0, note: "the peers' workload is not there" }
    return Object.fromEntries(names.map((name) => [name, absent]))
  }
  const folders = makeFolders()
  material.files(folders.project)
  const provider = await startProvider()
  await provider.score(material.oracle)
  const opened = await openBenchRuntime(folders, {
    providerUrl: provider.url,
    contextTokens: 200_000,
    tools: [createBashTool(process.env)],
  })
  try {
    const turns = amount.quick ? Math.round(material.turns / 5) : material.turns
    return await runWorkload(opened, provider, material, turns)
  } finally {
    await opened.close()
    await provider.close()
    removeFolders(folders)
  }
}

async function runWorkload(
  opened: Opened,
  provider: Provider,
  material: Material,
  turns: number,
): Promise<Readings> {
  const { runtime, project } = opened
  const session = await createSession(opened, "script")
  const startNs = nowNs()
  for (let i = 0; i < turns; i++) {
    const { user, steps } = material.turn(i, project)
    provider.script(steps.map((step) => stepOf(step, material)))
    await Effect.runPromise(runtime.prompt({ sessionID: session, text: user }))
    const end = await Effect.runPromise(runtime.settled(session))
    if (end?.kind !== "done") throw new Error(`Turn ${i} ended as ${JSON.stringify(end)}.`)
  }
  const wall = (nowNs() - startNs) / 1e9
  const { scores } = await provider.take()
  const sum = (key: string) => scores.reduce((total, score) => total + (score[key] ?? 0), 0)
  const records = await Effect.runPromise(runtime.turns(session))
  const breaks = records.filter(({ started }) => started.break !== null).length
  const samples = scores.length
  const cost = sum("input") + 1.25 * sum("write") + 0.1 * sum("read")
  const reading = (value: number) => ({ value, samples, rounds: 1, note: `${turns} turns, played once` })
  return {
    "workload-read-share": reading((100 * sum("read")) / sum("total")),
    "workload-cost": reading(cost / 1e6),
    "workload-breaks": reading(breaks),
    "workload-request": reading(sum("total") / samples),
    "workload-wall": reading(wall),
  }
}

const stepOf = ({ gen, seed, tools = [] }: PeerStep, { text }: Material): Step => ({
  text: text(gen, seed),
  calls: tools,
})

async function loadMaterial(): Promise<Material | null> {
  const folder = peerFolders().find((candidate) => existsSync(join(candidate, "lib", "workload.mjs")))
  if (folder === undefined) return null
  const address = (name: string): string => pathToFileURL(join(folder, "lib", name)).href
  const workload = (await import(address("workload.mjs"))) as {
    readonly TURNS: number
    readonly files: Material["files"]
    readonly turn: Material["turn"]
  }
  const { gen } = (await import(address("mock.mjs"))) as { readonly gen: Material["text"] }
  const { TURNS: turns, files, turn } = workload
  return { turns, files, turn, text: gen, oracle: address("oracle.mjs") }
}
