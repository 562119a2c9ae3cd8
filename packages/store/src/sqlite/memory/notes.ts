/** Smart notes of a project: their changes, and the one Session in which a ready one surfaces (NT1). */
import type { NoticeId } from "@holdfast/schema/id"
import type { SmartNote } from "@holdfast/schema/memory/note"
import { judgeNote, noteNotice, smartNoteIdAt } from "@holdfast/schema/memory/note-fold"
import type { ChangeNotes, NoteList, SurfaceNotes } from "../../memory.ts"
import { appendFacts } from "../append-facts.ts"
import { type Connection, inSnapshot } from "../connection.ts"
import type { Applied } from "../input-commands.ts"
import { findSession } from "../session-row.ts"
import {
  appendProjectFact,
  findProject,
  keepEnd,
  type KeyedProject,
  knownNotes,
  openProject,
  tellSaid,
} from "./rows.ts"

/** Notes that surface at one time; the others follow. */
const surfacedMax = 5

/** All of the changes or none. */
export function changeNotes(connection: Connection, command: ChangeNotes): Applied<ChangeNotes> {
  const { project: place, time, changes } = command
  const project = openProject(connection, place)
  const known = knownNotes(connection, project.key)
  const judged = changes.map((change) => judgeNote(change, known))
  const refusal = judged.find(({ kind }) => kind === "refused")
  if (refusal?.kind === "refused") return { outcome: refusal, advanced: null }
  let { seq } = project
  const notes = judged.map((one) => {
    if (one.kind !== "fact") return (one as { note: SmartNote }).note
    appendProjectFact(connection, project, { seq: ++seq, time, fact: one.fact })
    const id = one.fact.type === "smart-note.written" ? smartNoteIdAt(seq) : one.fact.note
    return known.byId(id) as SmartNote
  })
  keepEnd(connection, project, seq, project.epoch)
  tellSaid(connection, place.root, project, time, seq - project.seq)
  return { outcome: { kind: "changed", notes }, advanced: null }
}

/** Ready notes become notices of the Session in the commit that records where they were shown. */
export function surfaceNotes(connection: Connection, command: SurfaceNotes): Applied<SurfaceNotes> {
  const { root, session, time } = command
  const row = findSession(connection, session)
  const project = findProject(connection, root)
  const notes = row === undefined || project === undefined ? [] : readyNotes(connection, project)
  if (row === undefined || project === undefined || notes.length === 0)
    return { outcome: { kind: "surfaced", notes: [] }, advanced: null }
  let { seq } = project
  for (const { id: note } of notes) {
    const fact = { type: "smart-note.surfaced", note, session } as const
    appendProjectFact(connection, project, { seq: ++seq, time, fact })
  }
  keepEnd(connection, project, seq, project.epoch)
  const { summary } = appendFacts(
    connection,
    row,
    time,
    notes.map((note) => ({
      type: "notice.admitted",
      notice: `note:${note.id}:${note.createdAt}` as NoticeId,
      source: { kind: "note", id: note.id },
      text: noteNotice(note),
      delivery: "steer",
      wakes: false,
    })),
  )
  return { outcome: { kind: "surfaced", notes: notes.map(({ id }) => id) }, advanced: summary.seq }
}

function readyNotes(connection: Connection, { key }: KeyedProject): readonly SmartNote[] {
  const sql = "SELECT data FROM smart_note WHERE project = ? AND status = 'ready' ORDER BY number LIMIT ?"
  return connection.all<{ data: string }>(sql, key, surfacedMax).map(noteOf)
}

const noteOf = ({ data }: { readonly data: string }): SmartNote => JSON.parse(data) as SmartNote

export function readNotes(
  connection: Connection,
  root: string,
  { status, after = 0, before = Number.MAX_SAFE_INTEGER, limit }: NoteList,
): readonly SmartNote[] {
  return inSnapshot(connection, () => {
    const project = findProject(connection, root)
    if (project === undefined) return []
    const backward = before < Number.MAX_SAFE_INTEGER
    const rows = connection.all<{ data: string }>(
      `SELECT data FROM smart_note
       WHERE project = ?1 AND number > ?2 AND number < ?3 AND (?4 IS NULL OR status = ?4)
       ORDER BY number ${backward ? "DESC" : "ASC"} LIMIT ?5`,
      project.key,
      after,
      before,
      status ?? null,
      limit,
    )
    return (backward ? rows.toReversed() : rows).map(noteOf)
  })
}

/** Whether there is anything that could surface, in any project. */
export const hasReadyNotes = (connection: Connection): boolean =>
  connection.get("SELECT 1 FROM smart_note WHERE status = 'ready' AND project > 0 LIMIT 1") !== undefined
