/**
 * context_note: reminders that the model writes for itself, which outlive what leaves its window (NT1, TL4).
 *
 * A note is a record of the Session, anchored to the answer that wrote it, so that `context_expand` shows what it was about. With a
 * condition it is one of the project, hidden until the condition was found to be true.
 */
import { Effect, Schema } from "effect"
import type { NoteChanged, NoteWritten } from "@holdfast/schema/fact/recall"
import { noteToolName } from "@holdfast/recall"
import type { MessageId } from "@holdfast/schema/id"
import { type SmartNote, SmartNoteId } from "@holdfast/schema/memory/note"
import type { SessionNote } from "@holdfast/schema/state/items"
import { defineTool, notBlank, ToolFailure } from "../tool.ts"
import type { OwnNote } from "./session-memory.ts"

const notesMax = 40
const textCharactersMax = 2_000

const Said = Schema.String.check(notBlank, Schema.isMaxLength(textCharactersMax))

const Input = Schema.Struct({
  action: Schema.Literals(["write", "read", "update", "dismiss"]),
  text: Schema.optionalKey(Said),
  note: Schema.optionalKey(Schema.NonEmptyString),
  condition: Schema.optionalKey(Said),
})
type NoteInput = typeof Input.Type

export const noteTool = defineTool({
  name: noteToolName,
  description:
    "Keeps short notes of this conversation that stay when older messages leave your window: what is still to do, what was found out, what to remember. Write one, read all that are open, update one, or dismiss it when it is done. With a condition a note is for the whole project and hidden until the condition is true.",
  inputSchema: {
    type: "object",
    properties: {
      action: { type: "string", enum: ["write", "read", "update", "dismiss"] },
      text: {
        type: "string",
        minLength: 1,
        maxLength: textCharactersMax,
        description: "What the note says; for write and update.",
      },
      note: {
        type: "string",
        minLength: 1,
        description: "Which note, such as n412; for update and dismiss.",
      },
      condition: {
        type: "string",
        minLength: 1,
        maxLength: textCharactersMax,
        description:
          "For write: what has to be true before anybody is reminded, such as a release, a date or a change of a file.",
      },
    },
    required: ["action"],
    additionalProperties: false,
  },
  repeatable: true,
  readOnly: true,
  input: Input,
  run: Effect.fnUntraced(function* (input, { history, memory }) {
    if (history === undefined)
      return yield* new ToolFailure({ code: "unavailable", message: "There are no notes here." })
    const ofProject = projectNote(input)
    if (ofProject !== null && memory !== undefined) {
      const made = yield* memory.note(ofProject)
      if (typeof made === "string") return yield* new ToolFailure({ code: "refused", message: made })
      return { text: toldNote(made) }
    }
    const told = planNote(input, yield* history.notes)
    if (told.kind === "refused") return yield* new ToolFailure({ code: told.code, message: told.text })
    if (told.fact !== null && !(yield* history.keep(told.fact)))
      return yield* new ToolFailure({
        code: "interrupted",
        message: "The Session was interrupted. Nothing was noted.",
      })
    return { text: told.text }
  }),
})

/** What is about a note of the project; null where it is about one of the Session. */
export function projectNote({ action, text, note, condition }: NoteInput): OwnNote | null {
  if (action === "write" && text !== undefined && condition !== undefined)
    return { change: "write", text, condition }
  const id = decodeNote(note)
  if (id._tag === "None") return null
  if (action === "dismiss") return { change: "dismiss", note: id.value }
  if (action !== "update") return null
  return {
    change: "update",
    note: id.value,
    ...(text !== undefined && { text }),
    ...(condition !== undefined && { condition }),
  }
}

const decodeNote = Schema.decodeUnknownOption(SmartNoteId)

const toldNote = ({ id, status }: SmartNote): string =>
  status === "dismissed" ? `${id} is dismissed.` : `Noted for the project as ${id}; it is ${status}.`

/** The open notes, oldest first, and what a new one would be called. */
export interface KnownNotes {
  readonly open: readonly SessionNote[]
  readonly next: string
  readonly anchor: MessageId | null
}

type PlannedNote =
  | { readonly kind: "done"; readonly text: string; readonly fact: NoteWritten | NoteChanged | null }
  | { readonly kind: "refused"; readonly code: string; readonly text: string }

function planNote(
  { action, text, note: wanted }: NoteInput,
  { open, next, anchor }: KnownNotes,
): PlannedNote {
  if (action === "read") return done(open.length === 0 ? "There are no open notes." : listed(open))
  if (action === "write") {
    if (text === undefined) return refused("no_text", "A note needs a text.")
    if (open.length >= notesMax)
      return refused("too_many", `There are ${notesMax} notes. Dismiss those that are done:\n${listed(open)}`)
    return done(`Noted as ${next}.`, { type: "note.written", note: next, text, anchor, condition: null })
  }
  const known = open.find(({ note }) => note === wanted)
  if (known === undefined) {
    const which = open.length === 0 ? "There are none." : `Open are:\n${listed(open)}`
    return refused("no_such_note", `${wanted ?? "Without a name it"} is no open note. ${which}`)
  }
  const { note } = known
  if (action === "dismiss")
    return done(`${note} is dismissed.`, { type: "note.changed", note, state: "dismissed" })
  if (text === undefined) return refused("no_text", "A note needs a text.")
  return done(`${note} says that now.`, { type: "note.changed", note, text })
}

const done = (text: string, fact: NoteWritten | NoteChanged | null = null): PlannedNote => ({
  kind: "done",
  text,
  fact,
})
const refused = (code: string, text: string): PlannedNote => ({ kind: "refused", code, text })

const listed = (notes: readonly SessionNote[]): string =>
  notes.map(({ note, text }) => `${note} (written at #${note.slice(1)}): ${text}`).join("\n")
