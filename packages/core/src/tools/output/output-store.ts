/**
 * Output store: the flat directory of Managed Tool Output Files (TO3, TO7).
 *
 * A name is the Session and random characters, so it is unique wherever files are brought together, and
 * those of a Session are found without a list. Files are a cache: the bounded record is the durable one.
 * They go with their Session, or when they were not written for the time of retention; nothing waits
 * for that, and nothing else in the directory is touched.
 */
import { randomBytes } from "node:crypto"
import { mkdirSync, realpathSync } from "node:fs"
import { lstat, readdir, rm } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, normalize } from "node:path"
import { Clock, Effect, type Scope } from "effect"
import { createOutputFile, type OutputFile } from "./output-file.ts"

/** The files that calls of one Session make. */
export interface OutputFiles {
  readonly directory: string
  /** Opens a fresh one; it fails, if at all, at its end. */
  readonly open: () => OutputFile
}

export interface OutputStore {
  /** Flat and canonical. */
  readonly directory: string
  readonly of: (session: string) => OutputFiles
  /** Removes the files of a Session that is deleted. */
  readonly remove: (session: string) => Effect.Effect<void>
}

export const retentionDaysDefault = 7
const dayMs = 86_400_000
const namePattern = /^ses_[0-9a-z]{1,40}-[0-9a-f]{16}\.txt$/

/** Makes the directory where there is none; what is wrong with it is told by each file (TO4). */
export function createOutputStore(given: string): OutputStore {
  const directory = prepared(given)
  return {
    directory,
    of: (session) => ({
      directory,
      open: () => createOutputFile(join(directory, `${session}-${randomBytes(8).toString("hex")}.txt`)),
    }),
    remove: (session) => removeFiles(directory, async (name) => name.startsWith(`${session}-`)),
  }
}

/** Removes what is older than the retention, now and every day, until the scope closes. */
export const sweepDaily = (directory: string, days: () => number): Effect.Effect<void, never, Scope.Scope> =>
  Effect.suspend(() => sweepOutputs(directory, days())).pipe(
    Effect.andThen(Effect.sleep(dayMs)),
    Effect.forever,
    Effect.forkScoped,
    Effect.asVoid,
  )

export const sweepOutputs = Effect.fnUntraced(function* (directory: string, days: number) {
  const oldest = (yield* Clock.currentTimeMillis) - days * dayMs
  yield* removeFiles(directory, async (name) => (await lstat(join(directory, name))).mtimeMs < oldest)
})

/** The path of a managed file that an input names, or null where it names anything else. */
export function managedPath(directory: string | undefined, path: string): string | null {
  if (directory === undefined || !isAbsolute(path)) return null
  const plain = normalize(path)
  return dirname(plain) === directory && namePattern.test(basename(plain)) ? plain : null
}

function prepared(directory: string): string {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return realpathSync(directory)
  } catch {
    return directory // read-only or full: then no file can be stored, and each call says so
  }
}

const removeFiles = (directory: string, isMeant: (name: string) => Promise<boolean>): Effect.Effect<void> =>
  Effect.promise(async () => {
    const names = await readdir(directory).catch(() => [])
    for (const name of names.filter((found) => namePattern.test(found))) {
      // Gone meanwhile, or not ours to remove: the next sweep looks again.
      if (await isMeant(name).catch(() => false)) await rm(join(directory, name)).catch(() => {})
    }
  })
