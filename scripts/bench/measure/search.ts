/**
 * Searches of a tree of 20,000 files: the tools `grep` and `glob` against ripgrep itself.
 *
 * Both are started from this process and in turn inside one round, so that a busy neighbour disturbs
 * both alike; ripgrep is asked the same and its answer is read and thrown away, in the order in which
 * it comes. It is asked for TypeScript by `--type`: `--glob` would overrule ignore files, which spares
 * it most of the work and is another answer. A ratio is that of medians, and the median round counts.
 */
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { createGlobTool, createGrepTool, createOutputSink, type Tool } from "@holdfast/core/tools/index"
import { createFileRecord } from "@holdfast/core/tools/file/record"
import { findRipgrep } from "@holdfast/core/tools/search/ripgrep"
import type { JsonObject } from "@holdfast/schema/json"
import type { Reading, Readings } from "../report.ts"
import { makeFolders, removeFolders } from "../runtime.ts"
import { type Amount, median, msOf, nowNs, samplesOf, slowSamples } from "../sample.ts"

const folderCount = 200
const filesOfFolder = 100

export async function measureSearch(amount: Amount): Promise<Readings> {
  const folders = makeFolders()
  const directory = folders.project
  try {
    makeTree(directory)
    const program = await findRipgrep()
    const plain = (args: readonly string[]) => () => askRipgrep(program, [...args, "./"], directory)
    const ask = (tool: Tool, input: JsonObject) => () =>
      Effect.runPromise(
        tool.run(input, {
          callId: "bench",
          directory,
          output: createOutputSink(),
          files: createFileRecord(),
        }),
      )
    return {
      "grep-tree": await ratioReading(
        plain(["--line-number", "needle"]),
        ask(createGrepTool(), { pattern: "needle" }),
        amount,
      ),
      "glob-tree": await ratioReading(
        plain(["--files", "--type=ts"]),
        ask(createGlobTool(), { pattern: "**/*.ts" }),
        amount,
      ),
    }
  } finally {
    removeFolders(folders)
  }
}

/** A repository; one file of a hundred holds a line that is looked for, and half of them are TypeScript. */
function makeTree(directory: string): void {
  mkdirSync(join(directory, ".git"))
  writeFileSync(join(directory, ".gitignore"), "node_modules/\ndist/\n*.log\n")
  for (let folder = 0; folder < folderCount; folder++) {
    const path = join(directory, `package-${folder}`, "src")
    mkdirSync(path, { recursive: true })
    for (let file = 0; file < filesOfFolder; file++) {
      const lines = Array.from(
        { length: 40 },
        (_, n) => `const value${n} = compute(${folder}, ${file}, ${n})`,
      )
      if (file === 7) lines.push("// needle")
      writeFileSync(join(path, `file-${file}.${file % 2 === 0 ? "ts" : "js"}`), lines.join("\n"))
    }
  }
}

const askRipgrep = (program: string, args: readonly string[], cwd: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "ignore"] })
    child.stdout.resume()
    child.once("error", reject)
    child.once("close", () => resolve())
  })

async function ratioReading(
  plain: () => Promise<unknown>,
  tool: () => Promise<unknown>,
  amount: Amount,
): Promise<Reading> {
  const samples = samplesOf(amount, slowSamples)
  const rounds: { readonly plainMs: number; readonly toolMs: number }[] = []
  for (let round = 0; round < amount.rounds; round++) {
    const plainMs: number[] = []
    const toolMs: number[] = []
    for (let i = 0; i < samples; i++) {
      plainMs.push(await timed(plain))
      toolMs.push(await timed(tool))
    }
    rounds.push({ plainMs: median(plainMs), toolMs: median(toolMs) })
  }
  const note = `${median(rounds.map(({ toolMs }) => toolMs)).toFixed(0)} ms, ripgrep ${median(rounds.map(({ plainMs }) => plainMs)).toFixed(0)} ms`
  const value = median(rounds.map(({ plainMs, toolMs }) => toolMs / plainMs))
  return { value, samples, rounds: amount.rounds, note }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = nowNs()
  await work()
  return msOf(nowNs() - start)
}
