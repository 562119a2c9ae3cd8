/** Notes as people ask for them and change them: those of a Session, and those of a project (NT1). */
import { Clock, Effect, Schema } from "effect"
import { MemoryRefused, NoteNotFound, type StoreFailure } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import { type SmartNote, type SmartNoteChange, SmartNoteId } from "@holdfast/schema/memory/note"
import type { Note } from "@holdfast/schema/memory/told"
import type { SessionNote } from "@holdfast/schema/state/items"
import type { NoteList, SessionRow } from "@holdfast/store/port"
import type { KnownFailure } from "../caller/given.ts"
import { contribute } from "../session/contribute.ts"
import type { Coordinator } from "../session/coordinator/coordinator.ts"
import type { RuntimePorts } from "../session/ports.ts"
import { byPerson } from "./calls.ts"
import { sourcePlace } from "./detail.ts"
import { projectOf } from "./known.ts"
import { maskedNote } from "./masked.ts"
import { noteRefusal } from "./refusal.ts"

export interface NoteCalls {
  readonly projectNotes: (location: Location, list: NoteList) => Effect.Effect<readonly Note[], StoreFailure>
  /** Open ones, oldest first. */
  readonly sessionNotes: (sessionID: string) => Effect.Effect<readonly Note[], KnownFailure>
  readonly changeProjectNote: (
    location: Location,
    change: GivenNote,
  ) => Effect.Effect<Note, NoteNotFound | MemoryRefused | StoreFailure>
  readonly changeSessionNote: (
    sessionID: string,
    change: GivenNote,
  ) => Effect.Effect<Note, NoteNotFound | MemoryRefused | KnownFailure>
}

export type GivenNote =
  | { readonly change: "write"; readonly text: string; readonly condition?: string }
  | {
      readonly change: "update"
      readonly note: string
      readonly text?: string
      readonly condition?: string | null
    }
  | { readonly change: "dismiss"; readonly note: string }

export function makeNoteCalls(
  ports: RuntimePorts,
  coordinator: Coordinator,
  known: (sessionID: string) => Effect.Effect<SessionRow, KnownFailure>,
): NoteCalls {
  const { store } = ports
  const notesOf = Effect.fnUntraced(function* (sessionID: string) {
    const { id } = yield* known(sessionID)
    const window = yield* store.window(id)
    const notes = window === null ? [] : [...window.state.items.notes.values()]
    return yield* Effect.forEach(notes, (note) => toldOfSession(ports, id, note))
  })
  return {
    projectNotes: Effect.fnUntraced(function* (location, list) {
      const { root } = yield* projectOf(ports, location)
      return yield* Effect.forEach(yield* store.notes(root, list), (note) => toldOfProject(ports, note))
    }),
    sessionNotes: notesOf,
    changeProjectNote: Effect.fnUntraced(function* (location, given) {
      const change = yield* smartChange(ports, given)
      const outcome = yield* store.commit({
        kind: "change-notes",
        project: yield* projectOf(ports, location, "write"),
        time: yield* Clock.currentTimeMillis,
        changes: [change],
      })
      if (outcome.kind === "changed") return yield* toldOfProject(ports, outcome.notes[0] as SmartNote)
      const { problem, ids } = outcome
      if (problem === "unknown") return yield* noSuchNote(ids[0] ?? "")
      const code = problem === "dismissed" ? "inactive" : problem
      return yield* new MemoryRefused({ code, ids, message: noteRefusal(problem, ids) })
    }),
    changeSessionNote: Effect.fnUntraced(function* (sessionID, given) {
      const row = yield* known(sessionID)
      const before = yield* notesOf(sessionID)
      if (given.change === "write") {
        const note = `n${row.seq + 1}`
        const text = ports.masks.kept(given.text)
        const fact = { type: "note.written", note, text, anchor: null, condition: null } as const
        yield* contribute(ports, coordinator, row.id, fact)
        return yield* toldOfSession(ports, row.id, { ...fact, state: "open" })
      }
      const found = before.find(({ id }) => id === given.note)
      if (found === undefined) return yield* noSuchNote(given.note)
      const change =
        given.change === "dismiss"
          ? ({ state: "dismissed" } as const)
          : { text: ports.masks.kept(given.text ?? found.text) }
      yield* contribute(ports, coordinator, row.id, { type: "note.changed", note: found.id, ...change })
      return { ...found, ...("state" in change ? { status: change.state } : change) }
    }),
  }
}

const toldOfSession = Effect.fnUntraced(function* (
  { store }: RuntimePorts,
  session: SessionRow["id"],
  { note, text, anchor, condition }: Pick<SessionNote, "note" | "text" | "anchor" | "condition" | "state">,
): Effect.fn.Return<Note, StoreFailure> {
  const messages = anchor === null ? [] : [anchor]
  const fromSeq = Number(note.slice(1))
  const place = yield* sourcePlace(store, { by: "agent", session, messages, ...(fromSeq > 0 && { fromSeq }) })
  const by = anchor === null ? "person" : "agent"
  const status = "open"
  return {
    id: note,
    text,
    condition,
    status,
    session,
    by,
    place,
    createdAt: null,
    reason: null,
    surfacedIn: null,
  }
})

const toldOfProject = Effect.fnUntraced(function* (
  { store }: RuntimePorts,
  { id, text, condition, status, source, createdAt, reason, surfacedIn }: SmartNote,
): Effect.fn.Return<Note, StoreFailure> {
  const told = { id, text, condition, status, createdAt, reason, surfacedIn }
  return { ...told, session: null, by: source.by, place: yield* sourcePlace(store, source) }
})

const decodeNoteId = Schema.decodeUnknownOption(SmartNoteId)

const smartChange = Effect.fnUntraced(function* (
  { masks }: RuntimePorts,
  given: GivenNote,
): Effect.fn.Return<SmartNoteChange, NoteNotFound> {
  const source = byPerson
  if (given.change === "write")
    return maskedNote(masks, { ...given, condition: given.condition ?? null, source })
  const note = decodeNoteId(given.note)
  if (note._tag === "None") return yield* noSuchNote(given.note)
  return maskedNote(masks, { ...given, note: note.value, source })
})

const noSuchNote = (note: string): NoteNotFound =>
  new NoteNotFound({
    note,
    message: `${noteProblem(note.slice(0, 40))} holdfast note list shows those of the project, with --session those of a Session.`,
  })

const noteProblem = (note: string): string =>
  /^[ns][1-9]\d{0,8}$/.test(note)
    ? `There is no open note ${note} here.`
    : `${note} is no id of a note; they look like s12 of a project, and n12 of a Session.`
