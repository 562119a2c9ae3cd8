/** What a change of smart notes makes, and what a project's log makes of it (NT1). Pure, and without effect: the writer decides with it. */
import type { NoteFact, SmartNote, SmartNoteChange, SmartNoteId } from "./note.ts"

export type NoteProblem = "unknown" | "dismissed" | "too-many"

export type JudgedNote =
  | { readonly kind: "fact"; readonly fact: NoteFact }
  /** Nothing is to be done: it stands like this already. */
  | { readonly kind: "same"; readonly note: SmartNote }
  | { readonly kind: "refused"; readonly problem: NoteProblem; readonly ids: readonly SmartNoteId[] }

/** Notes of a project that are not dismissed. */
export const notesMax = 200

export const smartNoteIdAt = (seq: number): SmartNoteId => `s${seq}` as SmartNoteId

export interface KnownNotes {
  readonly byId: (id: SmartNoteId) => SmartNote | null
  /** Those that are not dismissed. */
  readonly open: () => number
  /** One that is not dismissed and says the same. */
  readonly same: (text: string, condition: string | null) => SmartNote | null
}

export function judgeNote(change: SmartNoteChange, known: KnownNotes): JudgedNote {
  if (change.change === "write") {
    const { text, condition, source } = change
    const note = known.same(text, condition)
    if (note !== null) return { kind: "same", note }
    if (known.open() >= notesMax) return { kind: "refused", problem: "too-many", ids: [] }
    return { kind: "fact", fact: { type: "smart-note.written", text, condition, source } }
  }
  const note = known.byId(change.note)
  if (note === null) return { kind: "refused", problem: "unknown", ids: [change.note] }
  if (note.status === "dismissed")
    return change.change === "dismiss"
      ? { kind: "same", note }
      : { kind: "refused", problem: "dismissed", ids: [note.id] }
  switch (change.change) {
    case "dismiss":
      return { kind: "fact", fact: { type: "smart-note.dismissed", note: note.id, source: change.source } }
    case "ready": {
      if (note.status !== "waiting") return { kind: "same", note }
      const { reason, source } = change
      return { kind: "fact", fact: { type: "smart-note.ready", note: note.id, reason, source } }
    }
    case "wait":
      return note.status === "ready" && note.condition !== null
        ? { kind: "fact", fact: { type: "smart-note.waiting", note: note.id, source: change.source } }
        : { kind: "same", note }
    case "update": {
      const { change: _, ...fields } = change
      const { text = note.text, condition = note.condition } = fields
      if (text === note.text && condition === note.condition) return { kind: "same", note }
      return { kind: "fact", fact: { type: "smart-note.updated", ...fields } }
    }
  }
}

/** The note that an event changes, as it is behind it; null where it does not fit. */
export function foldNote(
  { seq, time, fact }: { readonly seq: number; readonly time: number; readonly fact: NoteFact },
  byId: KnownNotes["byId"],
): SmartNote | null {
  if (fact.type === "smart-note.written") {
    const { text, condition, source } = fact
    return {
      id: smartNoteIdAt(seq),
      text,
      condition,
      status: beginning(condition),
      source,
      createdAt: time,
      updatedAt: time,
      reason: null,
      surfacedIn: null,
    }
  }
  const before = byId(fact.note)
  if (before === null) return null
  const note = { ...before, updatedAt: time }
  switch (fact.type) {
    case "smart-note.updated": {
      const { text = before.text, condition = before.condition, source } = fact
      // Another condition has to be found true anew; another text was not shown yet.
      const anew = condition !== before.condition
      return { ...note, text, condition, source, ...(anew && { status: beginning(condition), reason: null }) }
    }
    case "smart-note.ready":
      return { ...note, status: "ready", reason: fact.reason }
    case "smart-note.waiting":
      return { ...note, status: "waiting", reason: null }
    case "smart-note.surfaced":
      return { ...note, status: "surfaced", surfacedIn: fact.session }
    case "smart-note.dismissed":
      return { ...note, status: "dismissed" }
  }
}

const beginning = (condition: string | null): SmartNote["status"] =>
  condition === null ? "ready" : "waiting"

/** What a Session is told of a note that became ready. */
export const noteNotice = ({ id, text, condition, reason }: SmartNote): string =>
  condition === null
    ? `A note for this project (${id}): ${text}`
    : `A note for this project is due (${id}): ${text}\nIt waited for: ${condition}${reason === null ? "" : `\nFound true: ${reason}`}`
