/** Rows of a project's log and of its memory. No question leaves the project it was asked for (MM2). */
import { crc32 } from "node:zlib"
import {
  foldMemory,
  isDreamFact,
  isMemoryFact,
  isSharingFact,
  isWorkspaceFact,
  type KnownMemories,
  type ProjectEvent,
} from "@holdfast/schema/memory/fold"
import { memoryContent, subjectOf } from "@holdfast/schema/memory/contradiction"
import type { DreamFact } from "@holdfast/schema/memory/dream"
import type { Memory, MemoryFact, MemoryId } from "@holdfast/schema/memory/memory"
import type { NoteFact, SmartNote } from "@holdfast/schema/memory/note"
import { foldNote, type KnownNotes } from "@holdfast/schema/memory/note-fold"
import { projectFactVersions } from "@holdfast/schema/memory/version"
import type { SharingFact } from "@holdfast/schema/memory/sharing-fact"
import type { WorkspaceFact } from "@holdfast/schema/memory/workspace-fact"
import { CommandRefused } from "../../failure.ts"
import type { ProjectPlace, ProjectRow } from "../../memory.ts"
import type { Connection } from "../connection.ts"

export type KeyedProject = ProjectRow

export interface ProjectEventColumns {
  readonly seq: number
  readonly type: string
  readonly version: number
  readonly time: number
  readonly data: string
  readonly checksum: number
}

/** A directory that shares another's project leads to that one. */
export const findProject = (connection: Connection, root: string): KeyedProject | undefined =>
  connection.get<KeyedProject>(
    `SELECT key, root, origin, seq, epoch FROM project
     WHERE root = coalesce((SELECT shares FROM project_place WHERE root = ?1), ?1)`,
    root,
  )

export function openProject(connection: Connection, { root, origin }: ProjectPlace): KeyedProject {
  const known = findProject(connection, root)
  if (known === undefined) {
    connection.run("INSERT INTO project (root, origin, seq, epoch) VALUES (?, ?, 0, 0)", root, origin)
    return findProject(connection, root) as KeyedProject
  }
  if (known.origin !== null || origin === null) return known
  connection.run("UPDATE project SET origin = ? WHERE key = ?", origin, known.key)
  return { ...known, origin }
}

export const memoriesOf = (
  connection: Connection,
  project: number,
  where: string,
  ...values: readonly (string | number)[]
): readonly Memory[] =>
  connection
    .all<{ data: string }>(`SELECT data FROM memory WHERE project = ? AND ${where}`, project, ...values)
    .map(({ data }) => JSON.parse(data) as Memory)

export function knownMemories(connection: Connection, project: number): KnownMemories {
  const find = (where: string, ...values: readonly (string | number)[]) =>
    memoriesOf(connection, project, where, ...values)
  return {
    byId: (id) => find("number = ?", memoryNumber(id))[0] ?? null,
    byContent: (content) =>
      find("content = ? ORDER BY status <> 'active', number DESC LIMIT 1", content)[0] ?? null,
    bySubject: (subject) => find("subject = ? AND status = 'active' ORDER BY number", subject),
  }
}

export const memoryNumber = (id: MemoryId): number => Number(id.slice(1))

/** The next event of a project, and what it makes of its memories. */
export function appendProjectFact(
  connection: Connection,
  { key }: Pick<KeyedProject, "key">,
  event: ProjectEvent,
): void {
  const { type, ...rest } = event.fact
  const columns = {
    seq: event.seq,
    type,
    version: projectFactVersions[type],
    time: event.time,
    data: JSON.stringify(rest),
  }
  connection.run(
    "INSERT INTO project_event VALUES (?, ?, ?, ?, ?, ?, ?)",
    key,
    columns.seq,
    columns.type,
    columns.version,
    columns.time,
    columns.data,
    projectChecksum(key, columns),
  )
  if (!projectEvent(connection, key, event)) throw new CommandRefused(`${type} names what is not there`)
}

export const addFact = (connection: Connection, place: ProjectPlace, time: number, fact: DreamFact): number =>
  tellProject(connection, openProject(connection, place), time, fact)

/** Puts one fact at the end of a project's log; its sequence. */
export function tellProject(
  connection: Connection,
  project: KeyedProject,
  time: number,
  fact: DreamFact | WorkspaceFact | SharingFact,
): number {
  const seq = project.seq + 1
  appendProjectFact(connection, project, { seq, time, fact })
  keepEnd(connection, project, seq, project.epoch)
  return seq
}

/** Events that were said from a directory that shares the project are known as such, for the day that it parts. */
export function tellSaid(
  connection: Connection,
  root: string,
  project: KeyedProject,
  time: number,
  events: number,
): void {
  const sharer = sharerAt(connection, root)
  if (sharer === null || events === 0) return
  const now = findProject(connection, root)
  if (now?.key === project.key) tellProject(connection, now, time, { type: "sharing.said", sharer, events })
}

/** The project that a directory has of its own while it shares another. */
export const sharerAt = (connection: Connection, root: string): number | null =>
  connection.get<{ key: number }>(
    "SELECT key FROM project JOIN project_place USING (root) WHERE root = ? AND shares IS NOT NULL",
    root,
  )?.key ?? null

/** Where the log of the project ends now. */
export function keepEnd(
  connection: Connection,
  { key, seq: before }: KeyedProject,
  seq: number,
  epoch: number,
): void {
  if (seq > before) connection.run("UPDATE project SET seq = ?, epoch = ? WHERE key = ?", seq, epoch, key)
}

/** False where the event does not fit what came before it. */
export function projectEvent(connection: Connection, key: number, event: ProjectEvent): boolean {
  const { seq, time, fact } = event
  if (isWorkspaceFact(fact)) return projectMembership(connection, key, fact)
  if (isDreamFact(fact) || isSharingFact(fact)) return true
  return isMemoryFact(fact)
    ? projectMemories(connection, key, { seq, time, fact })
    : projectNote(connection, key, { seq, time, fact })
}

export function knownNotes(connection: Connection, project: number): KnownNotes {
  const dataOf = "SELECT data FROM smart_note WHERE project = ? AND number = ?"
  return {
    byId: (id) => {
      const row = connection.get<{ data: string }>(dataOf, project, Number(id.slice(1)))
      return row === undefined ? null : (JSON.parse(row.data) as SmartNote)
    },
    same: (text, condition) => {
      const row = connection.get<{ data: string }>(
        `SELECT data FROM smart_note WHERE project = ? AND status <> 'dismissed'
         AND data ->> 'text' = ? AND data ->> 'condition' IS ?`,
        project,
        text,
        condition,
      )
      return row === undefined ? null : (JSON.parse(row.data) as SmartNote)
    },
    open: () =>
      connection.get<{ open: number }>(
        "SELECT count(*) AS open FROM smart_note WHERE project = ? AND status <> 'dismissed'",
        project,
      )?.open ?? 0,
  }
}

function projectNote(connection: Connection, key: number, event: ProjectEvent<NoteFact>): boolean {
  const note = foldNote(event, knownNotes(connection, key).byId)
  if (note === null) return false
  connection.run(
    "INSERT OR REPLACE INTO smart_note VALUES (?, ?, ?, ?)",
    key,
    Number(note.id.slice(1)),
    note.status,
    JSON.stringify(note),
  )
  return true
}

function projectMemories(connection: Connection, key: number, event: ProjectEvent<MemoryFact>): boolean {
  const { byId } = knownMemories(connection, key)
  const changed = foldMemory(event, byId)
  for (const memory of changed ?? [])
    connection.run(
      "INSERT OR REPLACE INTO memory VALUES (?, ?, ?, ?, ?, ?, ?)",
      key,
      memoryNumber(memory.id),
      memory.status,
      memory.category,
      memoryContent(memory.text),
      subjectOf(memory.category, memory.text),
      JSON.stringify(memory),
    )
  return changed !== null
}

/** The workspace of a project, and the categories that its members share. */
function projectMembership(connection: Connection, key: number, fact: WorkspaceFact): true {
  const { workspace } = fact
  if (fact.type === "workspace.left") connection.run("DELETE FROM workspace_member WHERE project = ?", key)
  else {
    connection.run(
      `INSERT INTO workspace (name, categories, version) VALUES (?, ?, 1)
       ON CONFLICT (name) DO UPDATE SET categories = excluded.categories`,
      workspace,
      JSON.stringify(fact.categories),
    )
    connection.run(
      "INSERT OR REPLACE INTO workspace_member SELECT ?, key FROM workspace WHERE name = ?",
      key,
      workspace,
    )
  }
  return true
}

/** It covers all that the row says, and whose it is. */
export const projectChecksum = (
  key: number,
  { seq, type, version, time, data }: Omit<ProjectEventColumns, "checksum">,
): number => crc32(`project ${key} ${seq} ${type} ${version} ${time} ${data}`)
