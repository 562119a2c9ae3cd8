/**
 * Smart notes: reminders of a project that wait for a condition (NT1).
 *
 * A note is a fold of its project's log. Until its condition was found to be true nobody sees it but
 * who lists it; then it surfaces in one Session, once.
 *
 *   waiting ──ready──▶ ready ──surfaced──▶ surfaced ──▶ dismissed      without a condition it begins as ready
 *      ◀──waiting────┘  where who found it true was wrong
 */
import { Schema } from "effect"
import { count } from "../fact/fact.ts"
import { SessionId } from "../id.ts"
import { MemorySource } from "./memory-source.ts"

export const SmartNoteId = Schema.String.check(
  Schema.isPattern(/^s[1-9][0-9]{0,8}$/, { expected: "the id of a smart note, such as s12" }),
).pipe(Schema.brand("SmartNoteId"))
export type SmartNoteId = typeof SmartNoteId.Type

/** Characters of a note, and of its condition. */
const noteTextMax = 2_000

const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(noteTextMax))
const Condition = Schema.NullOr(Text)

export const SmartNote = Schema.Struct({
  id: SmartNoteId,
  text: Schema.String,
  /** What has to be true before it is shown; null where it is shown at once. */
  condition: Schema.NullOr(Schema.String),
  status: Schema.Literals(["waiting", "ready", "surfaced", "dismissed"]),
  source: MemorySource,
  createdAt: count,
  updatedAt: count,
  /** Why its condition was found to be true. */
  reason: Schema.NullOr(Schema.String),
  /** The Session that it was shown in. */
  surfacedIn: Schema.NullOr(SessionId),
})
export type SmartNote = typeof SmartNote.Type

const fact = <K extends string, F extends Schema.Struct.Fields>(type: K, fields: F) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

/** The facts of a project's log that are about notes. */
export const noteShapes = [
  fact("smart-note.written", { text: Text, condition: Condition, source: MemorySource }),
  fact("smart-note.updated", {
    note: SmartNoteId,
    text: Schema.optionalKey(Text),
    condition: Schema.optionalKey(Condition),
    source: MemorySource,
  }),
  fact("smart-note.ready", { note: SmartNoteId, reason: Schema.NullOr(Schema.String), source: MemorySource }),
  /** That it is true was taken back, before anybody was told. */
  fact("smart-note.waiting", { note: SmartNoteId, source: MemorySource }),
  fact("smart-note.surfaced", { note: SmartNoteId, session: SessionId }),
  fact("smart-note.dismissed", { note: SmartNoteId, source: MemorySource }),
] as const
export type NoteFact = (typeof noteShapes)[number]["Type"]

/** What somebody asks for; the store decides inside its transaction which facts it makes. */
export const SmartNoteChange = Schema.Union([
  Schema.Struct({
    change: Schema.Literal("write"),
    text: Text,
    condition: Condition,
    source: MemorySource,
  }),
  Schema.Struct({
    change: Schema.Literal("update"),
    note: SmartNoteId,
    text: Schema.optionalKey(Text),
    condition: Schema.optionalKey(Condition),
    source: MemorySource,
  }),
  /** Its condition was found to be true. */
  Schema.Struct({
    change: Schema.Literal("ready"),
    note: SmartNoteId,
    reason: Schema.NullOr(Schema.String),
    source: MemorySource,
  }),
  /** It is taken back that its condition is true; one that was shown stays so. */
  Schema.Struct({ change: Schema.Literal("wait"), note: SmartNoteId, source: MemorySource }),
  Schema.Struct({ change: Schema.Literal("dismiss"), note: SmartNoteId, source: MemorySource }),
])
export type SmartNoteChange = typeof SmartNoteChange.Type

export const isSmartNoteChange = Schema.is(SmartNoteChange)
