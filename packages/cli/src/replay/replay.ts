/** `holdfast replay`: a recorded session as if Holdfast had driven it, in figures (IM2). */
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { findSources } from "@holdfast/foreign"
import { findCandidates, pickCandidate } from "../import/candidates.ts"
import { count } from "../figures.ts"
import { bundleKind, bundleLog, storedLog } from "../import/log-file.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { exitCode } from "../outcome/exit-code.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"
import { configuredOf } from "./configured.ts"
import { recordedIn, recordedLog, type RecordedSession } from "./recorded.ts"
import { replayRecorded } from "./run.ts"
import { replayScreen } from "./screen.ts"

export interface ReplayOptions extends SharedOptions {
  readonly window?: number
}

export async function replayGiven(
  terminal: Terminal,
  what: readonly string[],
  options: ReplayOptions,
): Promise<number> {
  const sessions: RecordedSession[] = []
  for (const one of what) sessions.push(...(await sessionsOf(terminal, one, options)))
  const figures = await replayRecorded(sessions, options.window ?? null)
  const { record, breaks } = figures
  if (record.requests === 0)
    throw new UsageError(`${printable(what.join(", "))} holds no request that could be replayed.`)
  if (options.json === true) {
    for (const one of breaks) terminal.write(`${JSON.stringify(one)}\n`)
    terminal.write(`${JSON.stringify(record)}\n`)
  } else {
    terminal.write(replayScreen(figures))
  }
  if (figures.oversized === 0) return exitCode.done
  terminal.complain(
    `${count(figures.oversized, "request")} of ${count(record.requests)} cannot be made to fit into the window, and would not be sent.`,
  )
  return exitCode.failed
}

async function sessionsOf(terminal: Terminal, what: string, options: ReplayOptions) {
  const path = resolve(terminal.directory, what)
  const found = await stat(path).catch(() => null)
  return found?.isFile() === true ? sessionsIn(path, what) : sessionHere(terminal, what, options)
}

async function sessionsIn(path: string, given: string): Promise<readonly RecordedSession[]> {
  const bundle = await bundleKind(path)
  if (bundle !== null) return [recordedLog(given, (await bundleLog(path, bundle === "gzipped")).events)]
  const [source] = (await findSources([path])).sources
  if (source === undefined)
    throw new UsageError(
      `${printable(given)} is no recorded session: give a file of Claude Code, Codex, Pi or OpenCode, a wire transcript, or a bundle.`,
    )
  return recordedIn(source)
}

const isSessionId = (id: string): boolean => /^ses_[0-9a-z]{1,40}$/.test(id)

async function sessionHere(
  terminal: Terminal,
  given: string,
  options: ReplayOptions,
): Promise<readonly RecordedSession[]> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { holdfast } = opened
    const id = await findSession(holdfast.sessions, given)
    const log = isSessionId(id) ? await storedLog(holdfast, id) : null
    if (log !== null) {
      const recorded = recordedLog(id, log.events)
      return [{ ...recorded, configured: await configuredOf(holdfast, recorded.events) }]
    }
  } finally {
    await opened.close()
  }
  const { session, sources } = pickCandidate(given, await findCandidates(terminal, null, undefined))
  return (await Promise.all(sources.map((source) => recordedIn(source, session)))).flat()
}
