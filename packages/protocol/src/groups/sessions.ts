/**
 * `sessions`: everything about one conversation and its work.
 *
 * Ids in a path are plain strings here: whether one is well formed is decided in one place, the
 * runtime, which answers InvalidId. Values that come back are branded.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Event } from "@holdfast/schema/event"
import { Message } from "@holdfast/schema/message"
import { ModelRef } from "@holdfast/schema/model"
import { Delivery, PromptReceipt } from "@holdfast/schema/prompt"
import { RestartPolicy, SessionInfo } from "@holdfast/schema/session"
import {
  ConfigurationInvalid,
  InvalidCursor,
  InvalidId,
  LocationMissing,
  ModelNotFound,
  NothingOwed,
  PromptConflict,
  PromptRefused,
  SessionNotFound,
  StoreFailure,
} from "../error.ts"
import { RequestCheck } from "../middleware.ts"
import { Page, pageQuery, Whole } from "../page.ts"
import { TurnRecord } from "../turn.ts"

const titleLengthMax = 1_000
const directoryLengthMax = 4_096

/** Half a surrogate pair could not be stored and read back as it was. */
const text = Schema.String.check(
  Schema.makeFilter((value: string) => value.isWellFormed(), { expected: "well-formed Unicode" }),
)

/** Everything may be left out: then the instance's Location, no title, its model, its policy (CO3). */
export const CreateSessionInput = Schema.Struct({
  directory: Schema.optionalKey(text.check(Schema.isMinLength(1), Schema.isMaxLength(directoryLengthMax))),
  title: Schema.optionalKey(text.check(Schema.isMaxLength(titleLengthMax))),
  model: Schema.optionalKey(ModelRef),
  policy: Schema.optionalKey(RestartPolicy),
})
export type CreateSessionInput = typeof CreateSessionInput.Type

export const SendPromptInput = Schema.Struct({
  text: Schema.String,
  /** Chosen by the caller, it makes the call safe to repeat (PR2). */
  id: Schema.optionalKey(Schema.String),
  delivery: Schema.optionalKey(Delivery),
  /** False admits only (PR5). */
  resume: Schema.optionalKey(Schema.Boolean),
})
export type SendPromptInput = typeof SendPromptInput.Type

const path = { params: { sessionID: Schema.String } }
const known = [SessionNotFound, InvalidId, StoreFailure] as const

export class SessionsGroup extends HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.post("create", "/session", {
      payload: CreateSessionInput,
      success: SessionInfo.pipe(HttpApiSchema.status(201)),
      error: [LocationMissing, ModelNotFound, ConfigurationInvalid, StoreFailure],
    }),
    HttpApiEndpoint.get("list", "/session", {
      query: pageQuery({}),
      success: Page(SessionInfo),
      error: [InvalidCursor, StoreFailure],
    }),
    HttpApiEndpoint.get("get", "/session/:sessionID", { ...path, success: SessionInfo, error: known }),
    HttpApiEndpoint.post("prompt", "/session/:sessionID/prompt", {
      ...path,
      payload: SendPromptInput,
      success: PromptReceipt,
      error: [PromptRefused, PromptConflict, ...known],
    }),
    HttpApiEndpoint.post("interrupt", "/session/:sessionID/interrupt", {
      ...path,
      success: HttpApiSchema.NoContent,
      error: known,
    }),
    HttpApiEndpoint.post("resume", "/session/:sessionID/resume", {
      ...path,
      success: HttpApiSchema.NoContent,
      error: [NothingOwed, ...known],
    }),
    HttpApiEndpoint.get("messages", "/session/:sessionID/message", {
      ...path,
      query: pageQuery({}),
      success: Page(Message),
      error: [InvalidCursor, ...known],
    }),
    /** The finite form of the event stream: durable events after a sequence (EV1). */
    HttpApiEndpoint.get("history", "/session/:sessionID/history", {
      ...path,
      query: pageQuery({ after: Schema.optionalKey(Whole) }),
      success: Page(Event),
      error: [InvalidCursor, ...known],
    }),
    HttpApiEndpoint.get("turns", "/session/:sessionID/turn", {
      ...path,
      query: pageQuery({}),
      success: Page(TurnRecord),
      error: [InvalidCursor, ...known],
    }),
  )
  .middleware(RequestCheck) {}
