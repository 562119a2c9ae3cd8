/**
 * The folder of a tour: everything that it makes, so that removing it leaves nothing behind, and
 * everything that another process needs to carry the tour on.
 *
 *   tour.json     the seed, and which process takes the tour
 *   receipts.txt  ids of prompts that the server acknowledged, written by the tour
 *   bakery/       the sample project, with the ledger that its commands write
 *   config/ data/ home/   of the server
 */
import { existsSync } from "node:fs"
import { appendFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { judgeProcess, ownProcess, type ProcessRecord } from "../../packages/sdk/src/process-record.ts"
import { sampleFiles } from "./sample.ts"

export interface TourFolder {
  readonly root: string
  readonly project: string
  readonly data: string
  readonly seed: number
  readonly configure: (settings: object) => Promise<void>
  readonly writeProject: (name: string, text: string) => Promise<void>
  readonly keepReceipt: (promptID: string) => Promise<void>
  readonly receipts: () => Promise<readonly string[]>
  /** Lines that the commands of the project wrote about their own execution. */
  readonly executions: () => Promise<readonly Execution[]>
  readonly remove: () => Promise<void>
}

export interface Execution {
  readonly call: string
  readonly script: string
}

export async function makeFolder(seed: number): Promise<TourFolder> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-tour-")))
  for (const [name, text] of Object.entries(sampleFiles)) await place(join(root, "bakery", name), text)
  return occupy(root, seed)
}

export type FoundFolder =
  | { readonly kind: "found"; readonly folder: TourFolder }
  | { readonly kind: "refused"; readonly problem: string }

/** The folder of a tour that was killed. */
export async function findFolder(root: string): Promise<FoundFolder> {
  const file = join(root, "tour.json")
  if (!existsSync(file)) {
    return { kind: "refused", problem: `${root} is no folder of a tour. It was printed at the beginning.` }
  }
  const { seed, process } = JSON.parse(await readFile(file, "utf8")) as TourRecord
  if (judgeProcess(process) === "alive") {
    return { kind: "refused", problem: `Process ${process.pid} still takes this tour. Kill it first.` }
  }
  return { kind: "found", folder: await occupy(await realpath(root), seed) }
}

interface TourRecord {
  readonly seed: number
  readonly process: ProcessRecord
}

async function occupy(root: string, seed: number): Promise<TourFolder> {
  const record: TourRecord = { seed, process: ownProcess() }
  await place(join(root, "tour.json"), JSON.stringify(record))
  const project = join(root, "bakery")
  const receipts = join(root, "receipts.txt")
  return {
    root,
    project,
    data: join(root, "data"),
    seed,
    configure: (settings) => place(join(root, "config/holdfast.jsonc"), JSON.stringify(settings)),
    writeProject: (name, text) => place(join(project, name), text),
    keepReceipt: (promptID) => appendFile(receipts, `${promptID}\n`),
    receipts: () => readLines(receipts),
    executions: async () =>
      (await readLines(join(project, "ledger.txt"))).map((line) => {
        const [script = "", call = ""] = line.split(" ")
        return { call, script }
      }),
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  }
}

async function readLines(file: string): Promise<readonly string[]> {
  if (!existsSync(file)) return []
  return (await readFile(file, "utf8")).split("\n").filter((line) => line !== "")
}

async function place(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
