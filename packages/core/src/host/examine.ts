/**
 * Examination of this machine's part: the data directory, its store, and who leads what.
 *
 * It only reads. Nothing is created, opened for writing or upgraded, and whatever is wrong becomes
 * part of the answer, so that it can be asked of a machine where nothing else works (FA1).
 */
import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Degradation } from "@holdfast/schema/health"
import type { SessionId } from "@holdfast/schema/id"
import type { SessionStatus } from "@holdfast/schema/session"
import { dataFile, examineStore, openThreadStore, type StoreExamination } from "@holdfast/store"
import { dreamTrouble } from "../health/dream-trouble.ts"
import { historianTrouble } from "../health/historian-trouble.ts"
import { deriveStatus } from "../session/status.ts"
import { hostProcessFacts, judgeOwner, type OwnerState } from "./process-identity.ts"

export interface DirectoryExamination {
  readonly path: string
  readonly state: "absent" | "present" | "no-directory" | "unreachable"
  readonly problem: string | null
  /** Permission bits, null where there is nothing. */
  readonly mode: number | null
  /** Whether this user may write there, or make it where it is absent. */
  readonly writable: boolean
  readonly bytes: number
  readonly freeBytes: number | null
}

export interface ExaminedLease {
  readonly session: SessionId
  readonly pid: number
  readonly owner: OwnerState
}

export interface UnfinishedSession {
  readonly session: SessionId
  readonly title: string | null
  readonly status: SessionStatus
  readonly updatedAt: number
}

export interface HostExamination {
  readonly directory: DirectoryExamination
  readonly store: Omit<StoreExamination, "leases" | "unfinished" | "failedDreams" | "failedHistorian">
  readonly leases: readonly ExaminedLease[]
  readonly unfinished: readonly UnfinishedSession[]
  /** Parts that failed last, by the records of the store (FA1). */
  readonly degraded: readonly Degradation[]
}

/** Files counted for the size of a directory. */
const filesMax = 100_000

/** What its historian failed at is told only where a model is one. */
export function examineHost(dataDirectory: string, hasHistorian: boolean): HostExamination {
  const examined = examineStore(dataFile(dataDirectory))
  const { leases: held, unfinished, failedDreams, failedHistorian, ...store } = examined
  const facts = hostProcessFacts()
  const leases = held.map(({ session, owner }) => ({
    session,
    pid: owner.pid,
    owner: judgeOwner(owner, facts),
  }))
  const led = new Set(leases.filter(({ owner }) => owner !== "gone").map(({ session }) => session))
  return {
    directory: examineDirectory(dataDirectory),
    store,
    leases,
    // Nobody has to do anything for a job: the next start settles what is left of it.
    unfinished: unfinished
      .filter(({ kind }) => kind !== "job")
      .map((row) => ({
        session: row.id,
        title: row.title,
        status: deriveStatus(row, led.has(row.id)),
        updatedAt: row.updatedAt,
      })),
    degraded: [
      ...dreamTrouble(failedDreams.filter(({ root }) => existsSync(root))),
      ...(hasHistorian ? historianTrouble(failedHistorian) : []),
    ],
  }
}

/** Writes the projections of every Session anew from its log: what an examination may call for. */
export const rebuildProjections = (dataDirectory: string): Effect.Effect<void, StoreFailure> =>
  Effect.acquireUseRelease(
    openThreadStore({ file: dataFile(dataDirectory) }),
    (store) => store.rebuild(),
    (store) => store.close(),
  )

function examineDirectory(path: string): DirectoryExamination {
  const nothing = { path, problem: null, mode: null, writable: false, bytes: 0, freeBytes: null }
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) {
      const parent = nearestExisting(path)
      return { ...nothing, state: "absent", writable: mayWrite(parent), freeBytes: freeBytesOf(parent) }
    }
    if (!found.isDirectory()) return { ...nothing, state: "no-directory" }
    return {
      path,
      state: "present",
      problem: null,
      mode: found.mode & 0o777,
      writable: mayWrite(path),
      bytes: bytesBelow(path),
      freeBytes: freeBytesOf(path),
    }
  } catch (cause) {
    return {
      ...nothing,
      state: "unreachable",
      problem: cause instanceof Error ? cause.message : String(cause),
    }
  }
}

/** The way up always ends, at the root if nowhere else. */
function nearestExisting(path: string): string {
  let current = path
  while (statSync(current, { throwIfNoEntry: false }) === undefined && dirname(current) !== current) {
    current = dirname(current)
  }
  return current
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false // whatever the reason, a write would fail too
  }
}

function freeBytesOf(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return null // not every file system can tell
  }
}

function bytesBelow(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).slice(0, filesMax)
  return files.reduce(
    (sum, entry) =>
      entry.isFile()
        ? sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0)
        : sum,
    0,
  )
}
