/**
 * `holdfast serve`: one Holdfast for many commands and clients, until it is told to stop.
 *
 *   refuse if one runs ─▶ listen ─▶ claim the data directory ─▶ ready
 *   signal ─▶ give the claim back ─▶ take no more requests ─▶ stop drains ─▶ 0; again: at once
 *
 * Loopback only unless a host is named, and a token always (AU1).
 */
import { statSync } from "node:fs"
import { resolve } from "node:path"
import { setFlagsFromString } from "node:v8"
import {
  type AllowedTool,
  configuredProviders,
  dataDirectoryOf,
  ownProcess,
  type Served,
  serveHoldfast,
} from "@holdfast/sdk"
import { offlineName, startOffline } from "../offline.ts"
import { UsageError } from "../outcome.ts"
import type { Terminal } from "../terminal.ts"
import { version } from "../version.ts"
import { askHealth } from "./health.ts"
import { hostWarning, loopback, namesOf, reachable } from "./host-name.ts"
import { findServer } from "./place.ts"
import { claimServer, removeServerRecord, type ServerRecord, tokenFile, tokenFor } from "./record.ts"

export interface ServeOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly port?: number
  readonly host?: string
  readonly allow?: readonly AllowedTool[]
  readonly dir?: string
}

export async function serveSessions(terminal: Terminal, options: ServeOptions): Promise<number> {
  // It runs for weeks beside other work: memory is given back, for some time of the processor.
  setFlagsFromString("--optimize-for-size")
  const { environment } = terminal
  const dataDirectory = dataDirectoryOf({
    environment,
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
  })
  const running = await findServer(dataDirectory)
  if (running !== null) throw alreadyServed(dataDirectory, running.record)
  const stopped = untilStopped(terminal)
  const token = tokenFor(dataDirectory)
  const started = await start(terminal, options, dataDirectory, token)
  try {
    if (!(await claimServer(dataDirectory, started.record, token, answers))) {
      throw alreadyServed(dataDirectory, (await findServer(dataDirectory))?.record ?? null)
    }
    announce(terminal, options, started.record, dataDirectory)
    await stopped
    terminal.complain("Stopping; once more ends at once.")
    removeServerRecord(dataDirectory, started.record.process)
    return 0
  } finally {
    await started.close()
  }
}

interface Started {
  readonly record: ServerRecord
  readonly close: () => Promise<void>
}

async function start(
  terminal: Terminal,
  options: ServeOptions,
  dataDirectory: string,
  token: string,
): Promise<Started> {
  const { environment } = terminal
  const { allow = [], host = loopback } = options
  const directory = workDirectory(terminal, options)
  const known = await configuredProviders({ environment })
  const configured = known.some(({ ambient }) => ambient !== true)
  // Any Session may have been started with the offline model, so it is there in any case.
  const offline = known.some(({ name }) => name === offlineName) ? null : await startOffline()
  const served: Served = await serveHoldfast({
    environment,
    dataDir: dataDirectory,
    allow,
    ...(offline === null ? {} : { reserve: { [offlineName]: offline.provider } }),
    token,
    directory,
    host,
    port: options.port ?? 0,
    allowedHosts: namesOf(host),
  }).catch(async (failure: unknown) => {
    await offline?.close()
    if (isCode(failure, "EADDRINUSE"))
      throw new UsageError(`Port ${options.port} is taken. Choose another with --port.`)
    if (isCode(failure, "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"))
      throw new UsageError(`This machine has no address ${host}. Choose another with --host.`)
    throw failure
  })
  return {
    record: { url: reachable(served.url), version: version(), process: ownProcess(), allow, configured },
    close: async () => {
      await served.close()
      await offline?.close()
    },
  }
}

/** Looked for before anything starts: else every Session that names no directory would fail later. */
function workDirectory(terminal: Terminal, { dir = "." }: ServeOptions): string {
  const directory = resolve(terminal.directory, dir)
  try {
    if (statSync(directory).isDirectory()) return directory
  } catch {
    // Not there, or not to be reached: either way no Session can work in it.
  }
  throw new UsageError(`There is no directory ${directory}. Create it or name another with --dir.`)
}

function announce(
  terminal: Terminal,
  options: ServeOptions,
  record: ServerRecord,
  dataDirectory: string,
): void {
  const { url } = record
  const token = tokenFile(dataDirectory)
  const warning = hostWarning(options.host ?? loopback)
  if (warning !== null) terminal.complain(`${terminal.paint("yellow", "Warning:")} ${warning}`)
  if (options.json === true) {
    terminal.write(`${JSON.stringify({ type: "serving", url, tokenFile: token, pid: process.pid })}\n`)
    return
  }
  const tools = ["read", ...record.allow].join(", ")
  terminal.write(
    `${terminal.paint("bold", `Holdfast serves on ${url}`)} (Ctrl-C stops it).\n` +
      `Token: ${token}\nTools: ${tools}\n` +
      "Commands on this data directory now use it; holdfast attach ses_… follows a Session.\n",
  )
}

/** Resolves at the first request to stop; the second ends the process. */
function untilStopped(terminal: Terminal): Promise<void> {
  return new Promise((resolveStopped) => {
    let asked = false
    terminal.onStop(() => {
      if (asked) terminal.exit(interruptedCode)
      asked = true
      resolveStopped()
    })
  })
}

const interruptedCode = 130

const alreadyServed = (dataDirectory: string, record: ServerRecord | null): UsageError =>
  new UsageError(
    record === null
      ? `Another server has ${dataDirectory}, but does not answer yet. See holdfast doctor, or choose another directory with --data-dir.`
      : `The server at ${record.url} (process ${record.process.pid}) serves ${dataDirectory} already. ` +
          "Use it, stop it first, or choose another directory with --data-dir.",
  )

const answers = async (url: string, token: string): Promise<boolean> =>
  (await askHealth(url, token)).kind === "answers"

const isCode = (cause: unknown, ...codes: readonly string[]): boolean =>
  cause instanceof Error && "code" in cause && codes.includes(String(cause.code))
