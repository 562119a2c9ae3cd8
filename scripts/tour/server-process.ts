/**
 * The server of the tour: the bundle that users run, in a process of its own, spoken to over HTTP.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import { dirname, delimiter, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { HoldfastClient } from "../../packages/sdk/src/index.ts"
import { repositoryRoot } from "../command.ts"
import type { TourFolder } from "./folder.ts"

export interface ServerProcess {
  readonly pid: number
  readonly startMs: number
  readonly holdfast: HoldfastClient
  /** SIGKILL; resolves when it is gone. */
  readonly kill: () => Promise<void>
}

const startMsMax = 20_000
const launcher = join(repositoryRoot, "packages/cli/bin/holdfast.js")
const lifeline = import.meta.resolve("./lifeline.ts")

export async function startServer(folder: TourFolder): Promise<ServerProcess> {
  const startedAt = performance.now()
  const serve = ["serve", "--json", "--allow", "bash", "--data-dir", folder.data]
  const child = spawn(process.execPath, ["--import", lifeline, launcher, ...serve], {
    cwd: folder.project,
    env: environment(folder),
    stdio: ["pipe", "pipe", "pipe"],
    // Ctrl-C is for the tour, which ends the server.
    detached: true,
  })
  // The client takes longer to load than the server to start.
  const [{ url, tokenFile, pid }, { makeClient }] = await Promise.all([
    announcementOf(child),
    import("../../packages/sdk/src/index.ts"),
  ])
  const startMs = Math.round(performance.now() - startedAt)
  const token = (await readFile(tokenFile, "utf8")).trim()
  return {
    pid,
    startMs,
    holdfast: makeClient({ baseUrl: url, token }),
    kill: async () => {
      const gone = child.exitCode === null && child.signalCode === null ? once(child, "exit") : null
      child.kill("SIGKILL")
      await gone
    },
  }
}

/** A server that a killed tour left behind is ended; only if it is the one of the record. */
export async function endLeftover(folder: TourFolder): Promise<void> {
  if (!existsSync(folder.data)) return
  const { readServerRecord } = await import("../../packages/cli/src/server/record.ts")
  const { judgeProcess } = await import("../../packages/sdk/src/index.ts")
  const found = readServerRecord(folder.data)
  if (found.kind !== "there" || !found.certain) return
  process.kill(found.record.process.pid, "SIGKILL")
  while (judgeProcess(found.record.process) === "alive") await pause(20)
}

interface Announcement {
  readonly url: string
  readonly tokenFile: string
  readonly pid: number
}

async function announcementOf(child: ChildProcess): Promise<Announcement> {
  let complaints = ""
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => (complaints += piece))
  // What the pipe says when the server dies is told by its exit.
  child.stdin?.on("error", () => {})
  if (child.stdout === null) throw new Error("The server needs a pipe.")
  const line = once(createInterface({ input: child.stdout }), "line")
  const ended = once(child, "exit")
  const late = pause(startMsMax, null, { ref: false })
  const first = await Promise.race([line, ended.then(() => null), late])
  if (first === null) throw new Error(`The server did not start. ${complaints}`)
  return JSON.parse(String(first[0])) as Announcement
}

/** Leads nowhere outside the folder. */
function environment({ root, data }: TourFolder): NodeJS.ProcessEnv {
  const { PATH = "", LANG, TMPDIR } = process.env
  return {
    PATH: `${dirname(process.execPath)}${delimiter}${PATH}`,
    ...(LANG === undefined ? {} : { LANG }),
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    HOME: join(root, "home"),
    HOLDFAST_CONFIG_DIR: join(root, "config"),
    HOLDFAST_DATA_DIR: data,
  }
}
