/** One chosen session of another agent into the store, through the import that bundles take (IM1). */
import { existsSync, statSync } from "node:fs"
import {
  gatherSessions,
  type ImportedSession,
  importedSessions,
  readSource,
  type SkippedRecord,
} from "@holdfast/foreign"
import type { Location } from "@holdfast/schema/location"
import { type BundleImport, type HoldfastClient, importBundle } from "@holdfast/sdk"
import { factRecord, writeBundle } from "@holdfast/sdk/bundle"
import { fitImage } from "@holdfast/sdk/images"
import { count } from "../figures.ts"
import { printable } from "../terminal.ts"
import { bundleChanges } from "../bundle/import.ts"
import type { Candidate } from "./candidates.ts"
import { storedLog } from "./log-file.ts"

export interface Taken {
  readonly imported: ImportedSession
  readonly result: BundleImport
}

export interface TakeChoices {
  /** Where Sessions work whose own directory is not here. */
  readonly elsewhere: string
  /** Where all of them are to work. */
  readonly directory: string | null
}

/** Every way through the session and its side chains, each as soon as it is in the store. */
export async function* takeSession(
  holdfast: HoldfastClient,
  { session, sources }: Candidate,
  { elsewhere, directory }: TakeChoices,
): AsyncGenerator<Taken, void, undefined> {
  for (const source of sources) {
    const gathered = await gatherSessions(readSource(source), (root) => root === session)
    for (const records of gathered.values()) {
      const sessions = await importedSessions(records, {
        takeImage: fitImage,
        locate: (recorded) => locate(holdfast, directory ?? (isHere(recorded) ? recorded : elsewhere)),
        stored: async (id) => {
          const log = await storedLog(holdfast, id)
          // What was masked on its way out is not what is stored: then the file alone has to tell.
          return log === null || log.masked > 0 ? null : log.events
        },
      })
      for (const imported of sessions) yield { imported, result: await hand(holdfast, imported, directory) }
    }
  }
}

const isHere = (directory: string | null): directory is string =>
  directory !== null && existsSync(directory) && statSync(directory).isDirectory()

async function locate({ locations }: HoldfastClient, directory: string): Promise<Location> {
  const { directory: canonical, projectRoot } = await locations.open({ directory })
  return { directory: canonical, projectRoot }
}

function hand(
  holdfast: HoldfastClient,
  { session, log, blobs }: ImportedSession,
  directory: string | null,
): Promise<BundleImport> {
  const bytes = new Map(blobs.map((blob) => [blob.hash, blob.bytes]))
  const bundle = writeBundle({
    session,
    records: log.map(({ time, fact }, index) => factRecord(index + 1, time, fact)),
    blob: (hash) => bytes.get(hash) ?? null,
  })
  return importBundle(holdfast, bundle, directory === null ? {} : { directory })
}

/** The one line that `--json` promises for each Session. */
export function takenLine({ imported, result }: Taken): string {
  const { source, parent, skipped } = imported
  const { session, messages, calls, change } = result
  return `${JSON.stringify({
    type: "imported",
    source: `${source.agent}:${source.session}`,
    session: session.id,
    messages,
    calls,
    skipped: skipped.length,
    change,
    ...(source.chain === "" ? {} : { branch: source.chain }),
    ...(parent === null ? {} : { parent }),
    skips: skipsOf(skipped).map(({ what, times, line }) => ({ what, times, line })),
  })}\n`
}

export function takenText({ imported, result }: Taken): string {
  const { source, parent, title, skipped, directory } = imported
  const { session, messages, calls, change } = result
  const named = title === null ? "" : ` (${printable(title)})`
  const way = source.chain === "" ? "" : ", a branch of it"
  const aside = parent === null ? "" : ` A side chain of ${parent}: it is archived.`
  const lines = [
    `Session ${session.id} ${bundleChanges[change]}: ${count(messages, "message")} and ${count(calls, "call")} of ${source.agent} ${printable(source.session)}${named}${way}.${aside}`,
  ]
  for (const { what, times, line } of skipsOf(skipped).slice(0, skipsShown))
    lines.push(
      `  Left out${times === 1 ? "" : ` ${times} times`}: ${printable(what)} (${line === 0 ? "no line" : `line ${line}`}).`,
    )
  const more = skipsOf(skipped).length - skipsShown
  if (more > 0) lines.push(`  And ${count(more, "other kind")} of things; --json lists all.`)
  if (directory !== null && session.location.directory !== directory)
    lines.push(
      `  It was recorded in ${printable(directory)} and works in ${printable(session.location.directory)} here.`,
    )
  lines.push(`  Go on with: holdfast run --session ${session.id} "…"`)
  return `${lines.join("\n")}\n`
}

const skipsShown = 5

interface Skips {
  readonly what: string
  readonly times: number
  /** Of the first. */
  readonly line: number
}

function skipsOf(skipped: readonly SkippedRecord[]): readonly Skips[] {
  const found = new Map<string, Skips>()
  for (const { why, detail, line } of skipped) {
    const what = `${why}: ${detail}`
    const known = found.get(what)
    found.set(what, { what, times: (known?.times ?? 0) + 1, line: known?.line ?? line })
  }
  return [...found.values()]
}
