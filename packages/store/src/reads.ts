/**
 * The reads of the port on one connection, for both executors.
 *
 * `inspect` goes Session by Session, `pendingInputs` by some of them at a time, and other work runs in
 * between; everything else is one short synchronous read.
 */
import { existsSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { Damage, OutcomeOf, Store, StoreReport } from "./port.ts"
import { attempt, storeFailureOf } from "./reply.ts"
import type { IndexWords } from "./search/units.ts"
import { readAsks } from "./sqlite/ask-marks.ts"
import { readBlob } from "./sqlite/blob.ts"
import { type Connection, inSnapshot } from "./sqlite/connection.ts"
import { isSession } from "./sqlite/fork/copy-row.ts"
import { projectOfSession, readLocation, readLocations } from "./sqlite/rows/location.ts"
import { recentHistorianJobs } from "./sqlite/rows/failed-jobs.ts"
import { checkVersion } from "./sqlite/migrate.ts"
import { lastSettled } from "./sqlite/fork/end.ts"
import { readEvents, readRecords } from "./sqlite/read-events.ts"
import { readMessage, readMessages, readTurns } from "./sqlite/read-messages.ts"
import {
  compareMemories,
  readMemories,
  readMemory,
  readMemoryLog,
  readProjectFacts,
  readProjects,
} from "./sqlite/memory/read.ts"
import { readFailedDreams } from "./sqlite/memory/failed-dreams.ts"
import { hasReadyNotes, readNotes } from "./sqlite/memory/notes.ts"
import { projectRoots, readMarks, readPlace, readRoots } from "./sqlite/memory/places.ts"
import { readWorkspaces } from "./sqlite/memory/workspace.ts"
import * as reader from "./sqlite/reader.ts"
import { isIndexDamage, isIndexed } from "./sqlite/search/index-units.ts"
import { findByWords, searchUnits } from "./sqlite/search/find-units.ts"
import { commitHashes, searchCommits } from "./sqlite/search/commits.ts"
import { nearestOthers } from "./sqlite/search/nearest-others.ts"
import { loadVectors } from "./sqlite/search/nearest.ts"
import { embeddingProgress, embeddingStep, hasVectors } from "./sqlite/search/vectors.ts"
import { readUnits } from "./sqlite/search/read-units.ts"
import { compareWithRebuild } from "./sqlite/rebuild.ts"
import { namedLease } from "./sqlite/lease/named.ts"
import { findSession } from "./sqlite/session-row.ts"
import { openStagedFile } from "./staged-file.ts"

export type Reads = Omit<Store, "commit" | "rebuild" | "onCommitted" | "close">

/** `commit` brings the index up to date; a store that cannot be written answers with what stands in it. */
export function makeReads(
  connection: Connection,
  blobs: string,
  commit: ((command: IndexWords) => Effect.Effect<OutcomeOf<IndexWords>, StoreFailure>) | null,
): Reads {
  const upToDate = commit === null ? Effect.void : readOn(connection, commit)
  /** An index that cannot be read is made anew, and asked once more (FA1). */
  const fromIndex = <A>(work: () => A): Effect.Effect<A, StoreFailure> =>
    Effect.catch(Effect.try({ try: work, catch: (cause) => cause }), (cause) =>
      commit === null || !isIndexDamage(cause)
        ? Effect.fail(storeFailureOf(cause))
        : commit({ kind: "index-words", anew: true }).pipe(
            Effect.andThen(upToDate),
            Effect.andThen(attempt(work)),
          ),
    )
  return {
    location: (directory) => attempt(() => readLocation(connection, directory)),
    locations: (list) => attempt(() => readLocations(connection, list)),
    session: (id) => attempt(() => reader.readSession(connection, id)),
    sessions: (list) => attempt(() => reader.readSessions(connection, list)),
    window: (id) => attempt(() => reader.readFrom(connection, id, reader.readWindow)),
    events: (id, after, limit) =>
      attempt(() => {
        const found = reader.readFrom(connection, id, (source) => ({
          events: readEvents(source, after, limit),
          damage: source.damage,
        }))
        return found ?? { events: [], damage: [] }
      }),
    records: (id, after, through, limit) =>
      attempt(
        () => reader.readFrom(connection, id, (source) => readRecords(source, after, through, limit)) ?? [],
      ),
    settledSeq: (id) =>
      attempt(() =>
        inSnapshot(connection, () => {
          const session = findSession(connection, id)
          return session === undefined ? null : lastSettled(connection, session)
        }),
      ),
    stage: () => attempt(() => openStagedFile(dirname(blobs))),
    messages: (id, list) =>
      attempt(() => reader.readFrom(connection, id, (source) => readMessages(source, list)) ?? []),
    message: (id, message) =>
      attempt(() => reader.readFrom(connection, id, (source) => readMessage(source, message))),
    turns: (id, list) =>
      attempt(() => reader.readFrom(connection, id, (source) => readTurns(source, list)) ?? []),
    inbox: (id) => attempt(() => reader.readFrom(connection, id, reader.readInbox) ?? []),
    asks: (id) => attempt(() => inSnapshot(connection, () => readAsks(connection, id))),
    pendingInputs: () => countPending(connection),
    prompt: (id) => attempt(() => reader.readPrompt(connection, id)),
    lease: (id) => attempt(() => reader.readLease(connection, id)),
    learnedWindow: (model, sinceMs) => attempt(() => reader.readLearnedWindow(connection, model, sinceMs)),
    blob: (hash) => attempt(() => readBlob(connection, blobs, hash)),
    unsettled: () => attempt(() => reader.readUnsettled(connection)),
    search: Effect.fnUntraced(function* (question) {
      yield* upToDate
      const found = yield* fromIndex(() => findByWords(connection, question))
      const meaning = yield* question.meaning ?? Effect.succeed(null)
      return yield* fromIndex(() => searchUnits(connection, found, meaning))
    }),
    embeddingStep: (models) =>
      Effect.andThen(
        upToDate,
        attempt(() => embeddingStep(connection, models)),
      ),
    embeddingProgress: (model) =>
      Effect.andThen(
        upToDate,
        attempt(() => embeddingProgress(connection, model)),
      ),
    hasVectors: (model) => attempt(() => hasVectors(connection, model)),
    loadVectors: (model) => attempt(() => loadVectors(connection, model)),
    commitHashes: (root) => attempt(() => commitHashes(connection, root)),
    searchCommits: (root, words, limit) => fromIndex(() => searchCommits(connection, root, words, limit)),
    nearOthers: (meaning, places) => attempt(() => nearestOthers(connection, meaning, places)),
    units: (places) => attempt(() => readUnits(connection, places)),
    projects: (question) => attempt(() => readProjects(connection, question)),
    memories: (root, list) => attempt(() => readMemories(connection, root, list)),
    memory: (root, id) => attempt(() => readMemory(connection, root, id)),
    namedLease: (name) => attempt(() => namedLease(connection, name)),
    projectFacts: (root, list) => attempt(() => readProjectFacts(connection, root, list)),
    recentHistorianJobs: () => attempt(() => recentHistorianJobs(connection)),
    failedDreams: () => attempt(() => readFailedDreams(connection)),
    memoryLog: (root, after, limit) => attempt(() => readMemoryLog(connection, root, after, limit)),
    workspaces: () => attempt(() => readWorkspaces(connection)),
    roots: (limit) => attempt(() => readRoots(connection, limit)),
    sessionRoot: (id) => attempt(() => projectOfSession(connection, id)),
    projectRoots: (root) => attempt(() => projectRoots(connection, root)),
    marks: (question) => attempt(() => readMarks(connection, question)),
    place: (root) => attempt(() => readPlace(connection, root)),
    notes: (root, list) => attempt(() => readNotes(connection, root, list)),
    hasReadyNotes: () => attempt(() => hasReadyNotes(connection)),
    inspect: () => inspect(connection, blobs),
  }
}

/** How long a search waits for the index; what it has not read by then is told with the answer. */
const readOnMsMax = 1_000

/** Reads on until the index has everything that was committed before (SE2). What fails here is told by `unindexed`. */
const readOn = (
  connection: Connection,
  commit: (command: IndexWords) => Effect.Effect<OutcomeOf<IndexWords>, StoreFailure>,
): Effect.Effect<void> =>
  attempt(() => isIndexed(connection)).pipe(
    Effect.flatMap((all) => (all ? Effect.void : Effect.timeoutOption(reading(commit), readOnMsMax))),
    Effect.ignore,
  )

const reading = Effect.fnUntraced(function* (
  commit: (command: IndexWords) => Effect.Effect<OutcomeOf<IndexWords>, StoreFailure>,
) {
  while (!(yield* commit({ kind: "index-words", anew: false })).all);
})

/** Sessions whose inbox is looked through before other work has its turn. */
const countedMax = 500

const countPending = Effect.fnUntraced(function* (
  connection: Connection,
): Effect.fn.Return<number, StoreFailure> {
  const last = yield* attempt(() => reader.lastKey(connection))
  let pending = 0
  for (let key = 1; key <= last; key += countedMax) {
    pending += yield* attempt(() => reader.countPending(connection, key, key + countedMax - 1))
    yield* Effect.yieldNow
  }
  return pending
})

const inspect = Effect.fnUntraced(function* (
  connection: Connection,
  blobs: string,
): Effect.fn.Return<StoreReport, StoreFailure> {
  const summary = yield* attempt(() => ({
    schemaVersion: checkVersion(connection),
    bytes: usedBytes(connection) + fileBytes(blobs),
    sessions: connection.all<{ id: SessionId }>(`SELECT id FROM session WHERE ${isSession} ORDER BY key`),
  }))
  const damage: Damage[] = []
  const stale: string[] = []
  for (const { id } of summary.sessions) {
    yield* attempt(() =>
      reader.readFrom(connection, id, (source, row) => {
        const differing = compareWithRebuild(source, row)
        damage.push(...source.damage)
        stale.push(...differing.map((table) => `${id}: ${table}`))
      }),
    )
    yield* Effect.yieldNow
  }
  stale.push(...(yield* attempt(() => compareMemories(connection))))
  return { schemaVersion: summary.schemaVersion, bytes: summary.bytes, damage, stale }
})

/** Pages in use; those given back to the file system do not count, whether or not it has happened. */
function usedBytes(connection: Connection): number {
  const pages = connection.get<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0
  const free = connection.get<{ freelist_count: number }>("PRAGMA freelist_count")?.freelist_count ?? 0
  const size = connection.get<{ page_size: number }>("PRAGMA page_size")?.page_size ?? 0
  return (pages - free) * size
}

function fileBytes(directory: string): number {
  if (!existsSync(directory)) return 0
  return readdirSync(directory).reduce(
    (sum, name) => sum + (statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}
