/** Reads of projects and their memory, and the fold of a project's log written anew. */
import { bumpsEpoch, isWorkspaceFact, type ProjectEvent } from "@holdfast/schema/memory/fold"
import type { Memory, MemoryId, UsedMemory } from "@holdfast/schema/memory/memory"
import { readProjectFact } from "@holdfast/schema/memory/project-fact"
import { StoreRefused } from "../../failure.ts"
import type { MemoryList, MemoryReads, ProjectMemory, ProjectRow } from "../../memory.ts"
import { type Connection, inSnapshot } from "../connection.ts"
import { storedFields } from "../event-decode.ts"
import {
  findProject,
  type KeyedProject,
  memoryNumber,
  projectChecksum,
  type ProjectEventColumns,
  projectEvent,
} from "./rows.ts"
import { sharedMemory } from "./workspace.ts"

export function readProjects(
  connection: Connection,
  question: Parameters<MemoryReads["projects"]>[0],
): readonly ProjectRow[] {
  if ("root" in question) {
    const found = findProject(connection, question.root)
    return found === undefined ? [] : [found]
  }
  const sql = "SELECT key, root, origin, seq, epoch FROM project WHERE"
  if ("limit" in question)
    return connection.all<ProjectRow>(`${sql} TRUE ORDER BY key DESC LIMIT ?`, question.limit)
  return question.origin === null
    ? connection.all<ProjectRow>(`${sql} TRUE LIMIT 1`)
    : connection.all<ProjectRow>(`${sql} origin = ? ORDER BY key`, question.origin)
}

/** Ids are places of a log, so the numbers of all of them lie below this. */
const numberMax = Number.MAX_SAFE_INTEGER

export function readMemories(
  connection: Connection,
  root: string,
  { status, category, after = 0, before = numberMax, limit, newest, shared }: MemoryList,
): ProjectMemory {
  return inSnapshot(connection, () => {
    const project = findProject(connection, root)
    if (project === undefined) return { project: null, memories: [] }
    const backward = newest === true || before < numberMax
    const rows = connection.all<UsedColumns>(
      `${used} WHERE memory.project = ?1 AND memory.number > ?2 AND memory.number < ?3
         AND (?4 IS NULL OR status = ?4) AND (?5 IS NULL OR category = ?5)
       ORDER BY memory.number ${backward ? "DESC" : "ASC"} LIMIT ?6`,
      project.key,
      after,
      before,
      status ?? null,
      category ?? null,
      limit,
    )
    const memories = rows.map(usedMemory)
    const others = shared === true ? sharedMemory(connection, project.key, limit) : null
    return {
      project,
      memories: backward ? memories.toReversed() : memories,
      ...(others !== null && { shared: others }),
    }
  })
}

interface UsedColumns {
  readonly data: string
  readonly uses: number
  readonly usedAt: number | null
}

const used = `SELECT data, coalesce(uses, 0) AS uses, used_at AS usedAt FROM memory
  LEFT JOIN memory_use ON memory_use.project = memory.project AND memory_use.number = memory.number`

const usedMemory = ({ data, uses, usedAt }: UsedColumns): UsedMemory => ({
  ...(JSON.parse(data) as Memory),
  uses,
  usedAt,
})

export function readMemory(connection: Connection, root: string, id: MemoryId): UsedMemory | null {
  return inSnapshot(connection, () => {
    const project = findProject(connection, root)
    if (project === undefined) return null
    const sql = `${used} WHERE memory.project = ? AND memory.number = ?`
    const row = connection.get<UsedColumns>(sql, project.key, memoryNumber(id))
    return row === undefined ? null : usedMemory(row)
  })
}

export function readMemoryLog(
  connection: Connection,
  root: string,
  after: number,
  limit: number,
): readonly ProjectEvent[] {
  return inSnapshot(connection, () => {
    const project = findProject(connection, root)
    return project === undefined ? [] : readLog(connection, project.key, after, limit)
  })
}

type FactList = Parameters<MemoryReads["projectFacts"]>[1]

export const readProjectFacts = (
  connection: Connection,
  root: string,
  list: FactList,
): readonly ProjectEvent[] =>
  inSnapshot(connection, () => {
    const project = findProject(connection, root)
    return project === undefined ? [] : projectFacts(connection, project.key, list)
  })

export const projectFacts = (
  connection: Connection,
  key: number,
  { type, after = 0, limit }: FactList,
): readonly ProjectEvent[] =>
  soundEvents(
    key,
    connection.all<ProjectEventColumns>(
      `SELECT seq, type, version, time, data, checksum FROM project_event
       WHERE project = ? AND type = ? AND seq > ? ORDER BY seq DESC LIMIT ?`,
      key,
      type,
      after,
      limit,
    ),
  )

function readLog(connection: Connection, key: number, after: number, limit: number): readonly ProjectEvent[] {
  const rows = connection.all<ProjectEventColumns>(
    `SELECT seq, type, version, time, data, checksum FROM project_event
     WHERE project = ? AND seq > ? ORDER BY seq LIMIT ?`,
    key,
    after,
    limit,
  )
  return soundEvents(key, rows)
}

/** Those that are damaged are passed over; what a newer program wrote is no damage (ST1). */
const soundEvents = (key: number, rows: readonly ProjectEventColumns[]): readonly ProjectEvent[] =>
  rows.flatMap((row) => {
    const { seq, type, version, time, data } = row
    if (projectChecksum(key, row) !== row.checksum) return []
    const reading = readProjectFact(type, version, storedFields(data))
    if (reading.kind === "newer")
      throw new StoreRefused("newer", `event ${seq} of a project is a ${type} of version ${version}`)
    return reading.kind === "read" ? [{ seq, time, fact: reading.fact }] : []
  })

const pageLength = 1_000

const allProjects = (connection: Connection): readonly KeyedProject[] =>
  connection.all<KeyedProject>("SELECT key, root, origin, seq, epoch FROM project ORDER BY key")

/** Memories of every project from their logs. Damaged events are skipped. */
export function rebuildMemories(connection: Connection): void {
  for (const { key, seq: end } of allProjects(connection)) {
    connection.run("DELETE FROM memory WHERE project = ?", key)
    connection.run("DELETE FROM smart_note WHERE project = ?", key)
    let epoch = 0
    let workspace: ProjectEvent | null = null
    for (let after = 0; after < end; after += pageLength)
      for (const event of readLog(connection, key, after, pageLength).filter(
        ({ seq }) => seq <= after + pageLength,
      )) {
        // Those before the newest tell of others, which may have changed since.
        if (isWorkspaceFact(event.fact)) workspace = event
        else projectEvent(connection, key, event)
        if (bumpsEpoch(event.fact)) epoch = event.seq
      }
    if (workspace !== null) projectEvent(connection, key, workspace)
    connection.run("UPDATE project SET epoch = ? WHERE key = ?", epoch, key)
  }
}

/** Projects whose log has rows that are damaged or missing, one line each. */
export function compareMemories(connection: Connection): readonly string[] {
  return allProjects(connection).flatMap(({ key, root, seq }) => {
    let sound = 0
    for (let after = 0; after < seq; after += pageLength)
      sound += readLog(connection, key, after, pageLength).filter(
        (event) => event.seq <= after + pageLength,
      ).length
    return sound === seq ? [] : [`project ${root}: ${seq - sound} of ${seq} records are damaged or missing`]
  })
}
