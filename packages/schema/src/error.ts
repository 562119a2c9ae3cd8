/**
 * Failures that callers meet, one closed union. Match by tag, never by text.
 *
 * `message` is safe to show and says what to do; `detail` is for developers and never holds a
 * secret.
 */
import { Schema } from "effect"

const said = { message: Schema.String }

export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  ...said,
  session: Schema.String,
}) {}

/** The same Session id was used before with another body, or for another kind of Session (SS1). */
export class SessionConflict extends Schema.TaggedError<SessionConflict>()("SessionConflict", {
  ...said,
  session: Schema.String,
}) {}

export class PromptNotFound extends Schema.TaggedError<PromptNotFound>()("PromptNotFound", {
  ...said,
  prompt: Schema.String,
}) {}

/** Absent, or of another Session; which of the two is not told (PG2). */
export class MessageNotFound extends Schema.TaggedError<MessageNotFound>()("MessageNotFound", {
  ...said,
  id: Schema.String,
}) {}

/** A fork cannot end with a message that is still being written, or whose calls have not settled. */
export class MessageUnsettled extends Schema.TaggedError<MessageUnsettled>()("MessageUnsettled", {
  ...said,
  id: Schema.String,
}) {}

/** No image of the Session has this handle. */
export class ImageNotFound extends Schema.TaggedError<ImageNotFound>()("ImageNotFound", {
  ...said,
  handle: Schema.String,
}) {}

/** Absent, or of another Session; which of the two is not told (PG2). */
export class TurnNotFound extends Schema.TaggedError<TurnNotFound>()("TurnNotFound", {
  ...said,
  turn: Schema.String,
}) {}

export class DreamNotFound extends Schema.TaggedError<DreamNotFound>()("DreamNotFound", {
  ...said,
  run: Schema.String,
}) {}

/**
 * Nothing of a bundle was taken over: it is not whole, or not what it says; it comes from a newer
 * Holdfast; its facts do not fit each other; or its pieces do not follow on each other (ST4).
 */
export class BundleRefused extends Schema.TaggedError<BundleRefused>()("BundleRefused", {
  ...said,
  code: Schema.Literals(["damaged", "newer", "too_large", "misfit", "pieces"]),
}) {}

/** The same prompt id was used before with another body, Session or delivery (PR2). */
export class PromptConflict extends Schema.TaggedError<PromptConflict>()("PromptConflict", {
  ...said,
  prompt: Schema.String,
}) {}

/** The input is no longer in the inbox, so it can be neither edited nor cancelled. */
export class PromptNotPending extends Schema.TaggedError<PromptNotPending>()("PromptNotPending", {
  ...said,
  prompt: Schema.String,
  state: Schema.Literals(["promoted", "cancelled"]),
}) {}

/** It was answered or withdrawn before, or never asked. */
export class AskNotOpen extends Schema.TaggedError<AskNotOpen>()("AskNotOpen", {
  ...said,
  ask: Schema.String,
}) {}

/** The project has no memory of this id. */
export class MemoryNotFound extends Schema.TaggedError<MemoryNotFound>()("MemoryNotFound", {
  ...said,
  memory: Schema.String,
}) {}

/** Nothing was changed; `ids` say what stands in the way. */
export class MemoryRefused extends Schema.TaggedError<MemoryRefused>()("MemoryRefused", {
  ...said,
  code: Schema.Literals([
    "inactive",
    "duplicate",
    "categories",
    "unshared",
    "too-many",
    "no-project",
    "caller",
  ]),
  ids: Schema.Array(Schema.String),
}) {}

export class WorkspaceNotFound extends Schema.TaggedError<WorkspaceNotFound>()("WorkspaceNotFound", {
  ...said,
  workspace: Schema.String,
}) {}

/** Nothing was changed. */
export class WorkspaceRefused extends Schema.TaggedError<WorkspaceRefused>()("WorkspaceRefused", {
  ...said,
  code: Schema.Literals(["taken", "elsewhere", "no-member", "too-many", "caller"]),
  workspace: Schema.String,
}) {}

export class NoteNotFound extends Schema.TaggedError<NoteNotFound>()("NoteNotFound", {
  ...said,
  note: Schema.String,
}) {}

/** The answer does not fit what was asked. */
export class AnswerRefused extends Schema.TaggedError<AnswerRefused>()("AnswerRefused", {
  ...said,
  ask: Schema.String,
}) {}

/** A permission rule that cannot be read (PE1). */
export class RuleInvalid extends Schema.TaggedError<RuleInvalid>()("RuleInvalid", {
  ...said,
  rule: Schema.String,
}) {}

export class PromptRefused extends Schema.TaggedError<PromptRefused>()("PromptRefused", {
  ...said,
  code: Schema.Literals(["empty", "too_long", "lone_surrogate", "nul", "image", "no_sidekick"]),
}) {}

export class InvalidId extends Schema.TaggedError<InvalidId>()("InvalidId", {
  ...said,
  value: Schema.String,
}) {}

/** PG1: `unreadable` was not made by this instance, `foreign` is for another list, `gone` lost its place. */
export class InvalidCursor extends Schema.TaggedError<InvalidCursor>()("InvalidCursor", {
  ...said,
  code: Schema.Literals(["unreadable", "foreign", "gone"]),
}) {}

/** The request does not fit the contract; `part` says where. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  ...said,
  part: Schema.Literals(["path", "query", "headers", "payload"]),
}) {}

export class LocationMissing extends Schema.TaggedError<LocationMissing>()("LocationMissing", {
  ...said,
  directory: Schema.String,
}) {}

/** The directory is there, but nobody has opened it as a Location (CO3). */
export class LocationUnknown extends Schema.TaggedError<LocationUnknown>()("LocationUnknown", {
  ...said,
  directory: Schema.String,
}) {}

/** The path leads out of the Location, by itself or through a link. */
export class PathOutside extends Schema.TaggedError<PathOutside>()("PathOutside", {
  ...said,
  path: Schema.String,
}) {}

export class PathNotFound extends Schema.TaggedError<PathNotFound>()("PathNotFound", {
  ...said,
  path: Schema.String,
}) {}

/** There is something at the path, and it is not what was asked for, or cannot be read. */
export class PathRefused extends Schema.TaggedError<PathRefused>()("PathRefused", {
  ...said,
  path: Schema.String,
  code: Schema.Literals(["invalid", "not_a_file", "not_a_directory", "unreadable"]),
}) {}

/** `credential`: the model is known, and the key of its provider cannot be had. */
export class ModelNotFound extends Schema.TaggedError<ModelNotFound>()("ModelNotFound", {
  ...said,
  model: Schema.String,
  code: Schema.optionalKey(Schema.Literal("credential")),
}) {}

/** Nobody of that name is built in, or described by the user or the project of the Session (CO4). */
export class AgentNotFound extends Schema.TaggedError<AgentNotFound>()("AgentNotFound", {
  ...said,
  agent: Schema.String,
}) {}

/** `resume` on a Session that owes nothing (PR8). */
export class NothingOwed extends Schema.TaggedError<NothingOwed>()("NothingOwed", {
  ...said,
  session: Schema.String,
}) {}

export class ConfigurationInvalid extends Schema.TaggedError<ConfigurationInvalid>()("ConfigurationInvalid", {
  ...said,
  file: Schema.String,
  line: Schema.Int,
}) {}

/** No terminal of this instance has this id: it was closed, or never made (PT1). */
export class PtyNotFound extends Schema.TaggedError<PtyNotFound>()("PtyNotFound", {
  ...said,
  pty: Schema.String,
}) {}

/** `program`: it cannot be run; `too_many`: of terminals that run; `input`: the program does not read it. */
export class PtyRefused extends Schema.TaggedError<PtyRefused>()("PtyRefused", {
  ...said,
  code: Schema.Literals(["program", "too_many", "input"]),
}) {}

/** The program of the terminal has ended, so it takes neither input nor a size. */
export class PtyEnded extends Schema.TaggedError<PtyEnded>()("PtyEnded", {
  ...said,
  pty: Schema.String,
}) {}

/** Terminals cannot be had on this machine, or the process that holds them is gone. */
export class PtyUnavailable extends Schema.TaggedError<PtyUnavailable>()("PtyUnavailable", {
  ...said,
  detail: Schema.String,
}) {}

export const StoreFailureCode = Schema.Literals([
  "busy",
  "full",
  "read_only",
  "corrupt",
  "newer",
  "mismatch",
  "closed",
  "unavailable",
])
export type StoreFailureCode = typeof StoreFailureCode.Type

/** The store could not do it. Nothing of the commit took effect unless `outcomeUnknown`. */
export class StoreFailure extends Schema.TaggedError<StoreFailure>()("StoreFailure", {
  ...said,
  code: StoreFailureCode,
  outcomeUnknown: Schema.Boolean,
  detail: Schema.String,
}) {
  get retryable(): boolean {
    return this.code === "busy" || this.code === "full" || this.code === "unavailable"
  }
}

/** Another owner holds the Session, or took it: this drain must stop (DESIGN: lease). */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {
  ...said,
  session: Schema.String,
}) {}

/** The Session was interrupted after this drain began (DR3). */
export class DrainInterrupted extends Schema.TaggedError<DrainInterrupted>()("DrainInterrupted", {
  ...said,
  session: Schema.String,
}) {}

export type HoldfastFailure =
  | SessionNotFound
  | SessionConflict
  | MessageNotFound
  | MessageUnsettled
  | ImageNotFound
  | TurnNotFound
  | DreamNotFound
  | PromptNotFound
  | PromptConflict
  | PromptNotPending
  | PromptRefused
  | AskNotOpen
  | AnswerRefused
  | RuleInvalid
  | InvalidId
  | InvalidCursor
  | InvalidRequest
  | LocationMissing
  | LocationUnknown
  | PathOutside
  | PathNotFound
  | PathRefused
  | ModelNotFound
  | NothingOwed
  | AgentNotFound
  | ConfigurationInvalid
  | PtyNotFound
  | MemoryNotFound
  | MemoryRefused
  | WorkspaceNotFound
  | WorkspaceRefused
  | NoteNotFound
  | PtyRefused
  | PtyEnded
  | PtyUnavailable
  | StoreFailure
  | LeaseLost
  | DrainInterrupted
