/**
 * `holdfast audit`: what sessions of other agents cost, and where it went (IM2).
 *
 * A shell around the pure account of `@holdfast/foreign`: it finds the files, reads one after another
 * with bounded memory, and shows what comes of it. It opens no store of ours and no connection.
 */
import { existsSync } from "node:fs"
import { stat, writeFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import {
  Collector,
  findSources,
  readSource,
  report,
  type Source,
  type Unknown,
  usualPlaces,
} from "@holdfast/foreign"
import { exitCode } from "../outcome/exit-code.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"
import { sinceTime } from "./commands.ts"
import { auditLines } from "./json-lines.ts"
import { auditPage } from "./page.ts"
import { progressOf } from "./progress.ts"
import { auditScreen } from "./screen.ts"

export interface AuditOptions {
  readonly json?: boolean
  readonly session?: string
  readonly since?: string
  readonly html?: string
}

export async function auditSessions(
  terminal: Terminal,
  paths: readonly string[],
  options: AuditOptions,
  now: number,
): Promise<number> {
  const asked = paths.map((path) => resolve(terminal.directory, path))
  const places = asked.length > 0 ? asked : usualPlaces(terminal.environment)
  const { sources, unknown } = await findSources(places)
  const wrong = asked.length > 0 ? unknown : []
  const page = options.html === undefined ? null : resolve(terminal.directory, options.html)
  await refuse(wrong, sources, page)
  const collector = new Collector()
  if (!(await readAll(terminal, sources, collector))) return exitCode.interrupted
  const session = options.session ?? null
  const since = options.since === undefined ? null : sinceTime(options.since, now)
  const made = report(collector.collected(), { session, since })
  if (session !== null && made.sessions.length === 0)
    throw new UsageError(
      `No session begins with ${printable(session)} in what was read. See holdfast audit --json.`,
    )
  if (page !== null) await writePage(page, auditPage(made, now))
  if (options.json === true) for (const line of auditLines(made)) terminal.write(`${JSON.stringify(line)}\n`)
  else await terminal.page([auditScreen(terminal, made, asked.length > 0 ? null : places)])
  for (const { path } of wrong)
    terminal.complain(printable(`${path} is no session of an agent that is known here; it was passed over.`))
  if (page !== null) terminal.complain(printable(`The page is in ${page}.`))
  return wrong.length > 0 ? exitCode.failed : exitCode.done
}

/** What could not be meant is refused before anything is read. */
async function refuse(
  wrong: readonly Unknown[],
  sources: readonly Source[],
  page: string | null,
): Promise<void> {
  const gone = wrong.find(({ why }) => why !== "unknown-format")
  if (gone !== undefined)
    throw new UsageError(
      `${gone.path} ${gone.why === "absent" ? "is not there" : "cannot be read"}. Name another path.`,
    )
  if (page === null) return
  const there = await stat(page).catch(() => null)
  if (there?.isDirectory() === true || !existsSync(dirname(page)))
    throw new UsageError(`${printable(page)} cannot be written. Name a file in a folder that is there.`)
  for (const { path } of there === null ? [] : sources) {
    const source = await stat(path).catch(() => null)
    if (source?.ino === there?.ino && source?.dev === there?.dev)
      throw new UsageError(
        `${printable(page)} is one of the sessions to read. Name another file for the page.`,
      )
  }
}

/** False where somebody stopped it. */
async function readAll(
  terminal: Terminal,
  sources: readonly Source[],
  collector: Collector,
): Promise<boolean> {
  const progress = progressOf({
    files: sources.length,
    bytes: sources.reduce((sum, source) => sum + source.bytes, 0),
    say: terminal.complain,
    now: Date.now,
  })
  let stopped = false
  const release = terminal.onStop(() => {
    stopped = true
  })
  try {
    for (const [index, source] of sources.entries()) {
      for await (const record of readSource(source, (more) => progress(more, index + 1))) {
        if (stopped) return false
        collector.add(record, source.path)
      }
      if (stopped) return false
    }
    return true
  } finally {
    release()
  }
}

/** What it tells of sessions is its person's alone. */
const pageMode = 0o600

async function writePage(page: string, text: string): Promise<void> {
  try {
    await writeFile(page, text, { mode: pageMode })
  } catch (cause) {
    const code = cause instanceof Error && "syscall" in cause && "code" in cause ? String(cause.code) : null
    if (code === null) throw cause
    throw new UsageError(`${printable(page)} cannot be written (${code}).`)
  }
}
