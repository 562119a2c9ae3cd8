/**
 * A place for the real command: a home, a project and a data directory of its own, and processes
 * of `bin/holdfast.js` in it. Nothing of the caller's environment but PATH gets in.
 *
 * Where only what a command prints and its exit code matter, `call` does without a process: a start
 * costs several times what most commands do.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createProviderSim, directed, listen, offlineAgent } from "@holdfast/provider-sim"
import { runCommand } from "./terminal.ts"

const launcher = join(import.meta.dirname, "../bin/holdfast.js")
const waitMsMax = 20_000

/** Children of every place: a test that runs out of time does not come to dispose of its own. */
const children = new Set<ChildProcess>()
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL")
})

interface Said {
  readonly code: number | null
  readonly out: string
  readonly err: string
  /** The last line of the output, parsed. */
  readonly record: () => unknown
}

interface Ended extends Said {
  readonly signal: NodeJS.Signals | null
}

interface Running {
  /** Resolves when the text has been printed on either stream. */
  readonly prints: (text: string) => Promise<void>
  /** What it has written to its standard output so far. */
  readonly printed: () => string
  readonly pid: number | undefined
  readonly kill: (signal: NodeJS.Signals) => void
  readonly ended: Promise<Ended>
}

export interface Place extends AsyncDisposable {
  readonly root: string
  readonly project: string
  /** What its processes are given. */
  readonly environment: NodeJS.ProcessEnv
  readonly write: (path: string, text: string) => Promise<void>
  readonly start: (args: readonly string[], more?: StartOptions) => Running
  readonly run: (args: readonly string[], more?: StartOptions) => Promise<Ended>
  /** The command in the process of the test. */
  readonly call: (args: readonly string[], more?: Pick<StartOptions, "input" | "env">) => Promise<Said>
}

interface StartOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** The file that standard output goes to, in place of a pipe. */
  readonly output?: string
  /** Another program of this repository in place of the command. */
  readonly program?: string
  /** A command that starts Node in place of this process, as `nsenter` does. */
  readonly through?: readonly string[]
  /** Arguments of Node itself. */
  readonly nodeArguments?: readonly string[]
}

/**
 * A place whose model follows directives, by a provider in the process of the test. The provider has the
 * name of the offline one and stands in its place; others can be configured beside it.
 */
export async function makeDirectedPlace(others: Readonly<Record<string, object>> = {}): Promise<Place> {
  const limit = { context: 200_000, output: 8_192 }
  const place = await makePlace()
  const sim = await listen(createProviderSim({ models: { agent: directed(offlineAgent({ limit })) } }))
  const facts = { limit, systemRole: true, price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }
  const offline = { wire: "anthropic-messages", baseUrl: sim.url, models: { agent: facts } }
  await place.write(
    "config/holdfast.jsonc",
    JSON.stringify({ providers: { offline, ...others }, model: "offline/agent" }),
  )
  return {
    ...place,
    [Symbol.asyncDispose]: async () => {
      await place[Symbol.asyncDispose]()
      await sim.close()
    },
  }
}

export async function makePlace(): Promise<Place> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-cli-")))
  const project = join(root, "project")
  const own = new Set<ChildProcess>()
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const start = (args: readonly string[], more: StartOptions = {}): Running => {
    const output = more.output === undefined ? null : openSync(more.output, "w")
    const { program = launcher, through = [], nodeArguments = [] } = more
    const [command, ...rest] = [...through, process.execPath, ...nodeArguments, program, ...args]
    const child = spawn(command ?? "", rest, {
      cwd: project,
      env: { ...environment(root), ...more.env },
      stdio: ["pipe", output ?? "pipe", "pipe"],
    })
    if (output !== null) closeSync(output)
    own.add(child)
    children.add(child)
    child.once("close", () => children.delete(child))
    child.stdin?.end(more.input ?? "")
    return follow(child)
  }
  await write("project/README.md", "# Greeter\n\nPrints a greeting.\n")
  return {
    root,
    project,
    environment: environment(root),
    write,
    start,
    run: (args, more) => start(args, more).ended,
    call: async (args, { input = "", env = {} } = {}) => {
      const said = await runCommand(args, {
        directory: project,
        environment: { ...environment(root), ...env },
        readInput: async () => new TextEncoder().encode(input),
        columns: 100, // as where no terminal says how many
      })
      return { ...said, record: recordOf(said.out) }
    },
    [Symbol.asyncDispose]: async () => {
      for (const child of own) child.kill("SIGKILL")
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const environment = (root: string): NodeJS.ProcessEnv => ({
  PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
  HOME: join(root, "home"),
  HOLDFAST_CONFIG_DIR: join(root, "config"),
  HOLDFAST_DATA_DIR: join(root, "data"),
  XDG_CONFIG_HOME: join(root, "xdg-config"),
  XDG_DATA_HOME: join(root, "xdg-data"),
  TMPDIR: tmpdir(),
  // Where the command keeps it by itself; a program of this repository else compiles all of it again.
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(tmpdir(), "node-compile-cache"),
})

const recordOf = (out: string) => () => JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as unknown

function follow(child: ChildProcess): Running {
  let out = ""
  let err = ""
  const waiting = new Set<() => void>()
  const look = () => {
    for (const check of waiting) check()
  }
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
    out += piece
    look()
  })
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    err += piece
    look()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => {
      resolve({ code, signal, out, err, record: recordOf(out) })
    })
  })
  return {
    ended,
    pid: child.pid,
    printed: () => out,
    kill: (signal) => void child.kill(signal),
    prints: (text) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          reject(new Error(`Not printed within ${waitMsMax} ms: ${text}\n${out}\n${err}`))
        }, waitMsMax)
        const check = () => {
          if (!out.includes(text) && !err.includes(text)) return
          clearTimeout(late)
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}

/** What a command gets that is started in a pseudo-terminal: nothing leads outside the place. */
export const terminalEnvironment = ({ root }: Pick<Place, "root">): Record<string, string> => ({
  PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
  HOME: join(root, "home"),
  HOLDFAST_CONFIG_DIR: join(root, "config"),
  HOLDFAST_DATA_DIR: join(root, "data"),
  TERM: "xterm-256color",
})
