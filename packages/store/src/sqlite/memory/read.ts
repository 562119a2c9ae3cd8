/** Reads of projects and their memory, and the fold of a project's log written anew. */
import { bumpsEpoch, type ProjectEvent } from "@holdfast/schema/memory/fold"
import type { Memory, MemoryId } from "@holdfast/schema/memory/memory"
import { StoreRefused } from "../../failure.ts"
import type { MemoryList, ProjectMemory, ProjectRow } from "../../memory.ts"
import { type Connection, inSnapshot } from "../connection.ts"
import {
  factOf,
  findProject,
  type KeyedProject,
  knownMemories,
  projectChecksum,
  type ProjectEventColumns,
  projectFactVersion,
  projectMemories,
} from "./rows.ts"

export function readProjects(
  connection: Connection,
  question: { readonly root: string } | { readonly origin: string | null },
): readonly ProjectRow[] {
  const sql = "SELECT root, origin, seq, epoch FROM project WHERE"
  if ("root" in question) return connection.all<ProjectRow>(`${sql} root = ?`, question.root)
  return question.origin === null
    ? connection.all<ProjectRow>(`${sql} origin IS NOT NULL LIMIT 1`)
    : connection.all<ProjectRow>(`${sql} origin = ? ORDER BY key`, question.origin)
}

export function readMemories(
  connection: Connection,
  root: string,
  { status, after = 0, limit }: MemoryList,
): ProjectMemory {
  return inSnapshot(connection, () => {
    const project = findProject(connection, root)
    if (project === undefined) return { project: null, memories: [] }
    const { key, ...row } = project
    const rows = connection.all<{ data: string }>(
      `SELECT data FROM memory WHERE project = ?1 AND number > ?2 AND (?3 IS NULL OR status = ?3)
       ORDER BY number LIMIT ?4`,
      key,
      after,
      status ?? null,
      limit,
    )
    return { project: row, memories: rows.map(({ data }) => JSON.parse(data) as Memory) }
  })
}

export function readMemory(connection: Connection, root: string, id: MemoryId): Memory | null {
  return inSnapshot(connection, () => {
    const project = findProject(connection, root)
    return project === undefined ? null : knownMemories(connection, project.key).byId(id)
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

function readLog(connection: Connection, key: number, after: number, limit: number): readonly ProjectEvent[] {
  const rows = connection.all<ProjectEventColumns>(
    `SELECT seq, type, version, time, data, checksum FROM project_event
     WHERE project = ? AND seq > ? ORDER BY seq LIMIT ?`,
    key,
    after,
    limit,
  )
  return rows.flatMap((row) => {
    if (projectChecksum(key, row) !== row.checksum) return []
    if (row.version > projectFactVersion)
      throw new StoreRefused(
        "newer",
        `event ${row.seq} of a project is a ${row.type} of version ${row.version}`,
      )
    return [{ seq: row.seq, time: row.time, fact: factOf(row) }]
  })
}

const pageLength = 1_000

const allProjects = (connection: Connection): readonly KeyedProject[] =>
  connection.all<KeyedProject>("SELECT key, root, origin, seq, epoch FROM project ORDER BY key")

/** Memories of every project from their logs. Damaged events are skipped. */
export function rebuildMemories(connection: Connection): void {
  for (const { key, seq: end } of allProjects(connection)) {
    connection.run("DELETE FROM memory WHERE project = ?", key)
    let epoch = 0
    for (let after = 0; after < end; after += pageLength)
      for (const event of readLog(connection, key, after, pageLength).filter(
        ({ seq }) => seq <= after + pageLength,
      )) {
        projectMemories(connection, key, event)
        if (bumpsEpoch(event.fact)) epoch = event.seq
      }
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
