/**
 * A place for tours: a temporary directory and a home of their own, and processes of `npm start` in
 * it. The home holds a configuration and the environment a key; a tour that read either would break.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { bundle } from "../../scripts/bundle.ts"
import { repositoryRoot } from "../../scripts/command.ts"
import { shortTemporary } from "../../scripts/scratch.ts"

/** Children of every place: a test that runs out of time does not come to dispose of its own. */
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
})

interface EndedTour {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
  readonly seconds: number
}

interface TourProcess {
  readonly pid: number
  /** Resolves when the text has been printed. */
  readonly prints: (text: string) => Promise<void>
  readonly kill: () => void
  readonly ended: Promise<EndedTour>
}

export interface TourPlace extends AsyncDisposable {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  readonly start: (...args: readonly string[]) => TourProcess
  /** Folders of tours that are there. */
  readonly folders: () => readonly string[]
  /** Files in the home, beside the configuration that was put there. */
  readonly homeFiles: () => readonly string[]
}

export const startScript = join(repositoryRoot, "scripts/start.ts")
export const command = join(repositoryRoot, "packages/cli/bin/holdfast.js")

export async function makeTourPlace(): Promise<TourPlace> {
  await bundle()
  // Short, so that a command which names a folder of it fits a line.
  const root = await realpath(await mkdtemp(join(shortTemporary(), "hf-")))
  const home = join(root, "home")
  await mkdir(join(home, ".config/holdfast"), { recursive: true })
  await writeFile(join(home, ".config/holdfast/holdfast.jsonc"), "{ broken")
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TMPDIR: root,
    ANTHROPIC_API_KEY: "not-to-be-read",
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(tmpdir(), "node-compile-cache"),
  }
  const own = new Set<ChildProcess>()
  return {
    root,
    env,
    start: (...args) => {
      const child = spawn(process.execPath, [startScript, ...args], {
        cwd: repositoryRoot,
        env,
        stdio: "pipe",
      })
      own.add(child)
      children.add(child)
      child.once("close", () => children.delete(child))
      return follow(child)
    },
    folders: () =>
      readdirSync(root)
        .filter((name) => name.startsWith("holdfast-tour-"))
        .map((name) => join(root, name)),
    homeFiles: () =>
      readdirSync(home, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== "holdfast.jsonc")
        .map(({ name }) => name),
    [Symbol.asyncDispose]: async () => {
      for (const child of own) child.kill("SIGKILL")
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function follow(child: ChildProcess): TourProcess {
  const startedAt = performance.now()
  let out = ""
  let err = ""
  const waiting = new Set<() => void>()
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
    out += piece
    for (const look of waiting) look()
  })
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => (err += piece))
  const ended = new Promise<EndedTour>((resolve) => {
    child.once("close", (code, signal) => {
      resolve({ code, signal, out, err, seconds: (performance.now() - startedAt) / 1000 })
      for (const look of waiting) look()
    })
  })
  return {
    pid: child.pid ?? 0,
    ended,
    kill: () => void child.kill("SIGKILL"),
    prints: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (out.includes(text)) resolve()
          else if (child.exitCode !== null)
            reject(new Error(`Ended without printing ${text}:\n${out}\n${err}`))
          else return
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
  }
}

/** Live processes whose command line or environment names the text. */
export function processesNaming(text: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readProc(pid, "cmdline").includes(text) || readProc(pid, "environ").includes(text))
    .map((pid) => `${pid} ${readProc(pid, "cmdline").replaceAll("\0", " ")}`)
}

function readProc(pid: string, file: "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return "" // it ended meanwhile, or belongs to somebody else
  }
}
