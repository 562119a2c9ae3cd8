/**
 * `holdfast serve`: one Holdfast for many commands and clients, until it is told to stop.
 *
 *   refuse if one runs ─▶ listen ─▶ claim the data directory ─▶ ready ─▶ rehearse
 *   signal ─▶ give the claim back ─▶ take no more requests ─▶ stop drains ─▶ 0; again: at once
 *
 * Loopback only unless another address is named together with the names it answers to, and a token
 * always (AU1).
 */
import { statSync } from "node:fs"
import { resolve } from "node:path"
import { setFlagsFromString } from "node:v8"
import { StoreFailure } from "@holdfast/schema/error"
import {
  type AllowRule,
  configDirectoryOf,
  dataDirectoryOf,
  ownProcess,
  type Served,
  serveHoldfast,
} from "@holdfast/sdk"
import { exitCode } from "../outcome/exit-code.ts"
import { pasteable } from "../hint.ts"
import { makeOffline, offlineName } from "../offline/offline.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"
import { version } from "../version.ts"
import { askHealth } from "./health.ts"
import {
  addressesOf,
  addressLines,
  hostWarning,
  isLoopback,
  loopback,
  hostNames,
  reachable,
} from "./host-name.ts"
import { type Log, type LogFormat, type LogLevel, makeLog } from "./log.ts"
import { findServer } from "./place.ts"
import { claimServer, removeServerRecord, type ServerRecord, tokenFile, tokenFor } from "./record.ts"

export interface ServeOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly port?: number
  readonly host?: string
  /** Names by which other machines call this one. */
  readonly allowedHost?: readonly string[]
  /** Pages of other origins that may use it. */
  readonly allowedOrigin?: readonly string[]
  readonly logFormat?: LogFormat
  readonly logLevel?: LogLevel
  readonly allow?: readonly AllowRule[]
  readonly dir?: string
}

export async function serveSessions(terminal: Terminal, options: ServeOptions): Promise<number> {
  // It runs for weeks beside other work: memory is given back, for some time of the processor.
  setFlagsFromString("--optimize-for-size")
  requireNames(options)
  const { environment } = terminal
  const dataDirectory = dataDirectoryOf({
    environment,
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
  })
  const running = await findServer(dataDirectory)
  if (running !== null) throw alreadyServed(dataDirectory, running.record)
  const stopped = untilStopped(terminal)
  const token = tokenFor(dataDirectory)
  const log = makeLog(terminal, { format: options.logFormat ?? "text", level: options.logLevel ?? "info" })
  const started = await start(terminal, options, dataDirectory, token, log)
  try {
    const claiming = claimServer(dataDirectory, started.record, token, answers)
    if (
      !(await claiming.catch((failure: unknown) => Promise.reject(explainUnwritable(dataDirectory, failure))))
    ) {
      throw alreadyServed(dataDirectory, (await findServer(dataDirectory))?.record ?? null)
    }
    announce(terminal, log, options, started.record, dataDirectory)
    void started.rehearse()
    await stopped
    log({ level: "info", event: "stopping", text: "Stopping; once more ends at once." })
    removeServerRecord(dataDirectory, started.record.process)
    return 0
  } finally {
    await started.close()
    log({ level: "info", event: "stopped" })
  }
}

interface Started {
  readonly record: ServerRecord
  readonly rehearse: () => Promise<void>
  readonly close: () => Promise<void>
}

async function start(
  terminal: Terminal,
  options: ServeOptions,
  dataDirectory: string,
  token: string,
  log: Log,
): Promise<Started> {
  const { environment } = terminal
  const { allow = [], host = loopback, allowedHost = [], allowedOrigin = [] } = options
  const directory = workDirectory(terminal, options)
  // Any Session may have been started with the offline model, so it is known in any case.
  const offline = makeOffline()
  const served: Served = await serveHoldfast({
    environment,
    dataDir: dataDirectory,
    allow,
    reserve: { [offlineName]: offline.provider },
    onConfigurationWarning: (text) => log({ level: "warn", event: "configuration", text: printable(text) }),
    token,
    directory,
    host,
    port: options.port ?? 0,
    allowedHosts: hostNames(host, allowedHost),
    allowedOrigins: allowedOrigin,
    ...listeners(log, options),
  }).catch(async (failure: unknown) => {
    await offline.close()
    if (isCode(failure, "EADDRINUSE"))
      throw new UsageError(`Port ${options.port} is taken. Choose another with --port.`)
    if (isCode(failure, "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"))
      throw new UsageError(`This machine has no address ${host}. Choose another with --host.`)
    throw failure
  })
  return {
    record: {
      url: reachable(served.url),
      version: version(),
      process: ownProcess(),
      allow,
      configuration: configDirectoryOf({ environment }),
      options: ownOptions(options),
    },
    rehearse: served.rehearse,
    close: async () => {
      await served.close()
      await offline.close()
    },
  }
}

type Listeners = Pick<Parameters<typeof serveHoldfast>[0], "onDefect" | "onRequest" | "onEvent">

/** What the server reports to its log. Requests are passed on only where they are logged: it costs a little. */
function listeners(log: Log, { logLevel }: ServeOptions): Listeners {
  const onRequest: NonNullable<Listeners["onRequest"]> = ({ method, route, status, durationMs }) => {
    const ms = Math.round(durationMs * 10) / 10
    const text = `${method} ${route} ${status} ${ms} ms`
    log({ level: "debug", event: "request", fields: { method, route, status, ms }, text })
  }
  return {
    onDefect: ({ ref, detail }) =>
      log({
        level: "error",
        event: "defect",
        fields: { ref, detail },
        text: `A request failed, and its caller was told ${ref}. This is a defect of Holdfast:\n${detail}`,
      }),
    onEvent: log,
    ...(logLevel === "debug" && { onRequest }),
  }
}

/** An address that others can reach, without a name that they may call it by, would refuse them all. */
function requireNames({ host = loopback, allowedHost = [] }: ServeOptions): void {
  if (isLoopback(host) || allowedHost.length > 0) return
  throw new UsageError(
    `--host ${host} lets other machines in: say by which names they call this one, as in --allowed-host box.example. It may be given several times.`,
  )
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
  log: Log,
  options: ServeOptions,
  record: ServerRecord,
  dataDirectory: string,
): void {
  const { url } = record
  const token = tokenFile(dataDirectory)
  const { host = loopback, allowedHost = [] } = options
  const warning = hostWarning(host)
  if (warning !== null) {
    const text = `${terminal.paint("yellow", "Warning:")} ${warning}`
    log({ level: "warn", event: "reachable-by-others", fields: { message: warning }, text })
  }
  const place = { url, addresses: addressesOf(host, url, allowedHost), tokenFile: token, pid: process.pid }
  if (options.logFormat === "json")
    return log({ level: "info", event: "serving", fields: { ...place, version: record.version } })
  if (options.json === true) return terminal.write(`${JSON.stringify({ type: "serving", ...place })}\n`)
  const allowed = record.allow.length === 0 ? "" : `Allowed without asking: ${record.allow.join(", ")}\n`
  terminal.write(
    `${terminal.paint("bold", `Holdfast serves on ${url}`)} (Ctrl-C stops it).\n` +
      addressLines(host, url, allowedHost)
        .map((line) => `${line}\n`)
        .join("") +
      `Token: ${token}\n${allowed}` +
      pasteable(
        "Commands on this data directory now use it; holdfast attach ses_… follows a Session.\n",
        options,
      ),
  )
}

/** Those that a start again needs, beside `--allow`. */
const ownOptions = ({
  port,
  host,
  allowedHost = [],
  allowedOrigin = [],
  logFormat,
  logLevel,
  dir,
  dataDir,
}: ServeOptions): readonly string[] => [
  ...(port === undefined || port === 0 ? [] : ["--port", String(port)]),
  ...(host === undefined ? [] : ["--host", host]),
  ...allowedHost.flatMap((name) => ["--allowed-host", name]),
  ...allowedOrigin.flatMap((origin) => ["--allowed-origin", origin]),
  ...(logFormat === undefined ? [] : ["--log-format", logFormat]),
  ...(logLevel === undefined ? [] : ["--log-level", logLevel]),
  ...(dir === undefined ? [] : ["--dir", dir]),
  ...(dataDir === undefined ? [] : ["--data-dir", dataDir]),
]

/** A server keeps its record and its token in the data directory: without them nobody would find it. */
function explainUnwritable(dataDirectory: string, failure: unknown): unknown {
  const code = failure instanceof Error && "code" in failure ? String(failure.code) : ""
  if (isCode(failure, "ENOSPC", "EDQUOT")) {
    const message = `The disk of ${dataDirectory} is full (${code}). Free some space, then start the server again.`
    return new StoreFailure({ code: "full", outcomeUnknown: false, message, detail: String(failure) })
  }
  if (!isCode(failure, "EROFS", "EACCES", "EPERM")) return failure
  return new UsageError(
    `${dataDirectory} cannot be written (${code}), and a server has to. Check its owner, its permissions and its disk, or choose another directory with --data-dir.`,
  )
}

/** Resolves at the first request to stop; the second ends the process. */
function untilStopped(terminal: Terminal): Promise<void> {
  return new Promise((resolveStopped) => {
    let asked = false
    terminal.onStop(() => {
      if (asked) terminal.exit(exitCode.interrupted)
      asked = true
      resolveStopped()
    })
  })
}

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
