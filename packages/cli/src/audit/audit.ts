/**
 * `holdfast audit`: what sessions of other agents cost, and where it went (IM2).
 *
 * A shell around the pure account of `@holdfast/foreign`: it finds the files, reads one after another
 * with bounded memory, and shows what comes of it. It opens no store of ours and no connection.
 */
import { writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import {
  Collector,
  findSources,
  readSource,
  report,
  type Source,
  type Unknown,
  usualPlaces,
} from "@holdfast/foreign"
import { bytes, count, percent } from "../figures.ts"
import { exitCode } from "../outcome/exit-code.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"
import { sinceTime } from "./commands.ts"
import { auditLines } from "./json-lines.ts"
import { auditPage } from "./page.ts"
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
  refuse(wrong, sources, page)
  const collector = new Collector()
  if (!(await readAll(terminal, sources, collector))) return exitCode.interrupted
  const session = options.session ?? null
  const since = options.since === undefined ? null : sinceTime(options.since, now)
  const made = report(collector.collected(), { session, since })
  if (session !== null && made.sessions.length === 0)
    throw new UsageError(
      `No session begins with ${printable(session)} in what was read. See holdfast audit --json.`,
    )
  if (page !== null) await writeFile(page, auditPage(made, now))
  if (options.json === true) for (const line of auditLines(made)) terminal.write(`${JSON.stringify(line)}\n`)
  else await terminal.page([auditScreen(terminal, made, asked.length > 0 ? null : places)])
  for (const { path } of wrong)
    terminal.complain(printable(`${path} is no session of an agent that is known here; it was passed over.`))
  if (page !== null) terminal.complain(printable(`The page is in ${page}.`))
  return wrong.length > 0 ? exitCode.failed : exitCode.done
}

/** What could not be meant is refused before anything is read. */
function refuse(wrong: readonly Unknown[], sources: readonly Source[], page: string | null): void {
  const gone = wrong.find(({ why }) => why !== "unknown-format")
  if (gone !== undefined)
    throw new UsageError(
      `${gone.path} ${gone.why === "absent" ? "is not there" : "cannot be read"}. Name another path.`,
    )
  if (page !== null && sources.some(({ path }) => path === page))
    throw new UsageError(`${page} is one of the sessions to read. Name another file for the page.`)
}

/** Long work says how far it is, at most this often. */
const progressMs = 2_000

/** False where somebody stopped it. */
async function readAll(
  terminal: Terminal,
  sources: readonly Source[],
  collector: Collector,
): Promise<boolean> {
  const whole = sources.reduce((sum, source) => sum + source.bytes, 0)
  let read = 0
  let told = Date.now()
  let stopped = false
  const release = terminal.onStop(() => {
    stopped = true
  })
  try {
    for (const [index, source] of sources.entries()) {
      const progress = (more: number) => {
        read += more
        if (Date.now() - told < progressMs) return
        told = Date.now()
        const share = percent(Math.min(read, whole), whole)
        terminal.complain(
          `Read ${bytes(read)} of ${bytes(whole)} (${share}), file ${count(index + 1)} of ${count(sources.length)}.`,
        )
      }
      for await (const record of readSource(source, progress)) {
        if (stopped) return false
        collector.add(record, source.path)
      }
    }
    return true
  } finally {
    release()
  }
}
