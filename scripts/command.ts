/**
 * Runs one command of the repository to its end and keeps what it printed.
 *
 * Every command has a time limit and a process group of its own, which is ended as a whole, so
 * that nothing outlives the script that started it. Tools are found by their package, never by
 * PATH, and run on the Node that runs the script.
 */
import { execFileSync, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"

export interface Command {
  /** A JavaScript or TypeScript file, run by this Node, and its arguments. */
  readonly argv: readonly string[]
  readonly cwd: string
  readonly timeoutMs: number
  readonly env?: Readonly<Record<string, string>>
}

export interface Ended {
  readonly ok: boolean
  readonly output: string
  readonly seconds: number
  readonly timedOut: boolean
}

export const repositoryRoot = join(import.meta.dirname, "..")

/** What is kept of an output: its end, where the failure is. */
const outputCharactersMax = 2_000_000

export function run(command: Command): Promise<Ended> {
  const started = performance.now()
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command.argv, {
      cwd: command.cwd,
      env: environment(command.env ?? {}),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    })
    let output = ""
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-outputCharactersMax)
    }
    child.stdout.on("data", keep)
    child.stderr.on("data", keep)

    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      killGroup(child.pid)
    }, command.timeoutMs)
    keepGroup(child.pid)

    const settle = (ok: boolean) => {
      clearTimeout(timer)
      groups.delete(child.pid)
      resolve({ ok: ok && !timedOut, output, seconds: (performance.now() - started) / 1000, timedOut })
    }
    child.once("error", (error) => {
      output += String(error)
      settle(false)
    })
    child.once("close", (code) => settle(code === 0))
  })
}

/** The file behind a command of an installed package, as in `toolPath("typescript", "tsc")`. */
export function toolPath(packageName: string, binary = packageName): string {
  const folder = join(repositoryRoot, "node_modules", packageName)
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly bin: Readonly<Record<string, string>>
  }
  const file = manifest.bin[binary]
  if (file === undefined) throw new Error(`The package ${packageName} has no command ${binary}.`)
  return join(folder, file)
}

/** What V8 made of installed packages; else each test process of a suite would compile them again. */
const compileCache = join(repositoryRoot, "node_modules/.cache/compiled")

/** Children that call a plain `node` get the Node of this script. */
function environment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NO_COLOR: "1",
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? compileCache,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
    ...extra,
  }
}

/** Process groups under way; a script that is told to stop ends them first. */
const groups = new Set<number | undefined>()

function keepGroup(pid: number | undefined): void {
  groups.add(pid)
  if (process.listenerCount("SIGINT", endAll) > 0) return
  process.on("SIGINT", endAll)
  process.on("SIGTERM", endAll)
}

function endAll(signal: NodeJS.Signals): void {
  for (const pid of groups) killGroup(pid)
  process.exit(signal === "SIGINT" ? 130 : 143)
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch (error) {
    // The group ended by itself in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** The commit that is checked out, short; "none" outside a repository. What rotates follows from it. */
export function currentCommit(): string {
  try {
    const request = ["rev-parse", "--short=7", "HEAD"]
    return execFileSync("git", request, { cwd: repositoryRoot, encoding: "utf8", stdio: "pipe" }).trim()
  } catch {
    return "none"
  }
}
