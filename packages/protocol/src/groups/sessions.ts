/**
 * `sessions`: everything about one conversation and its work.
 *
 * Ids in a path are plain strings here: whether one is well formed is decided in one place, the
 * runtime, which answers InvalidId. Values that come back are branded. Every list is a Page (PG4).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Event } from "@holdfast/schema/event"
import { SessionId } from "@holdfast/schema/id"
import { imageTypes } from "@holdfast/schema/media"
import { Message } from "@holdfast/schema/message"
import { ModelRef } from "@holdfast/schema/model"
import { MessageOrder, Page } from "@holdfast/schema/page"
import { PlannedRequest } from "@holdfast/schema/planned-request"
import { AdmittedPrompt, Delivery, PromptReceipt } from "@holdfast/schema/prompt"
import { RunResult } from "@holdfast/schema/run-result"
import { RestartPolicy } from "@holdfast/schema/fact/session"
import { SessionInfo } from "@holdfast/schema/session"
import { SentRequest, TurnRecord, VerifiedTurn } from "@holdfast/schema/turn-record"
import { Base64Bytes } from "../base64.ts"
import {
  ConfigurationInvalid,
  ImageNotFound,
  InvalidCursor,
  InvalidId,
  LocationMissing,
  MessageNotFound,
  ModelNotFound,
  NothingOwed,
  PromptConflict,
  PromptNotFound,
  PromptNotPending,
  PromptRefused,
  SessionNotFound,
  StoreFailure,
  TurnNotFound,
} from "../error.ts"
import { RequestCheck } from "../middleware.ts"
import { Flag, pageQuery, Whole } from "../page.ts"
import { DurableEvents } from "../sse.ts"

const titleLengthMax = 1_000
const directoryLengthMax = 4_096

/** How long `result` waits for a drain before it answers that the work goes on. */
export const resultWaitMs = 20_000

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

/** Of a prompt, which brings its images; every other request holds less. */
export const promptBodyBytesMax = 64 * 1_048_576

export const SendPromptInput = Schema.Struct({
  text: Schema.String,
  /** Made fit before the prompt is admitted (LL7). */
  images: Schema.optionalKey(
    Schema.Array(Schema.Struct({ data: Base64Bytes, name: Schema.optionalKey(Schema.String) })),
  ),
  /** Chosen by the caller, it makes the call safe to repeat (PR2). */
  id: Schema.optionalKey(Schema.String),
  delivery: Schema.optionalKey(Delivery),
  /** False admits only (PR5). */
  resume: Schema.optionalKey(Schema.Boolean),
})
export type SendPromptInput = typeof SendPromptInput.Type

/** The header of an image's answer that holds its Media: JSON, percent-encoded as a part of a URL. */
export const mediaHeader = "holdfast-media"

/** `running` until the drain is over: ask again. */
export const ResultAnswer = Schema.Union([
  Schema.Struct({ state: Schema.Literal("running") }),
  Schema.Struct({ state: Schema.Literal("settled"), result: RunResult }),
])
export type ResultAnswer = typeof ResultAnswer.Type

const path = { params: { sessionID: Schema.String } }
const messagePath = { params: { sessionID: Schema.String, messageID: Schema.String } }
const promptPath = { params: { sessionID: Schema.String, promptID: Schema.String } }
const known = [SessionNotFound, InvalidId, StoreFailure] as const
const listed = [InvalidCursor, ...known] as const

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
    /** Sessions that this instance drains now (DR6). */
    HttpApiEndpoint.get("active", "/active", {
      query: pageQuery({}),
      success: Page(SessionId),
      error: InvalidCursor,
    }),
    HttpApiEndpoint.get("get", "/session/:sessionID", { ...path, success: SessionInfo, error: known }),
    HttpApiEndpoint.delete("delete", "/session/:sessionID", {
      ...path,
      success: HttpApiSchema.NoContent,
      error: known,
    }),
    HttpApiEndpoint.post("prompt", "/session/:sessionID/prompt", {
      ...path,
      payload: SendPromptInput,
      success: PromptReceipt,
      error: [PromptRefused, PromptConflict, ...known],
    }),
    HttpApiEndpoint.get("inbox", "/session/:sessionID/inbox", {
      ...path,
      query: pageQuery({}),
      success: Page(AdmittedPrompt),
      error: listed,
    }),
    HttpApiEndpoint.patch("editPrompt", "/session/:sessionID/inbox/:promptID", {
      ...promptPath,
      payload: Schema.Struct({ text: Schema.String }),
      success: PromptReceipt,
      error: [PromptRefused, PromptNotFound, PromptNotPending, ...known],
    }),
    HttpApiEndpoint.delete("cancelPrompt", "/session/:sessionID/inbox/:promptID", {
      ...promptPath,
      success: PromptReceipt,
      error: [PromptNotFound, PromptNotPending, ...known],
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
    HttpApiEndpoint.post("switchModel", "/session/:sessionID/model", {
      ...path,
      payload: Schema.Struct({ model: ModelRef }),
      success: SessionInfo,
      error: [ModelNotFound, ...known],
    }),
    /** Waits for the drain, at most `resultWaitMs`. */
    HttpApiEndpoint.get("result", "/session/:sessionID/result", {
      ...path,
      success: ResultAnswer,
      error: known,
    }),
    /** System messages only on request (EP11). */
    HttpApiEndpoint.get("messages", "/session/:sessionID/message", {
      ...path,
      query: pageQuery({ system: Schema.optionalKey(Flag), order: Schema.optionalKey(MessageOrder) }),
      success: Page(Message),
      error: listed,
    }),
    HttpApiEndpoint.get("message", "/session/:sessionID/message/:messageID", {
      ...messagePath,
      success: Message,
      error: [MessageNotFound, ...known],
    }),
    /** Takes the message out of what models read, for good; it stays stored (LL7). */
    HttpApiEndpoint.post("quarantine", "/session/:sessionID/message/:messageID/quarantine", {
      ...messagePath,
      success: HttpApiSchema.NoContent,
      error: [MessageNotFound, ...known],
    }),
    /** The bytes of an image as they are stored; what is known of it is in the header `mediaHeader`. */
    HttpApiEndpoint.get("image", "/session/:sessionID/image/:handle", {
      params: { sessionID: Schema.String, handle: Schema.String },
      success: imageTypes.map((contentType) =>
        Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType })),
      ),
      error: [ImageNotFound, ...known],
    }),
    /** Session History as the window holds it, system messages of the Epoch included (PG3). */
    HttpApiEndpoint.get("context", "/session/:sessionID/context", {
      ...path,
      query: pageQuery({}),
      success: Page(Message),
      error: listed,
    }),
    HttpApiEndpoint.get("request", "/session/:sessionID/request", {
      ...path,
      success: PlannedRequest,
      error: known,
    }),
    /** Durable events after a sequence, then new ones as they come (EV1). */
    HttpApiEndpoint.get("events", "/session/:sessionID/event", {
      ...path,
      query: { after: Schema.optionalKey(Whole) },
      headers: { "last-event-id": Schema.optionalKey(Whole) },
      success: DurableEvents,
      error: known,
    }),
    /** The finite form of the event stream (EV1). */
    HttpApiEndpoint.get("history", "/session/:sessionID/history", {
      ...path,
      query: pageQuery({ after: Schema.optionalKey(Whole) }),
      success: Page(Event),
      error: listed,
    }),
    HttpApiEndpoint.get("turns", "/session/:sessionID/turn", {
      ...path,
      query: pageQuery({}),
      success: Page(TurnRecord),
      error: listed,
    }),
    /** Rebuilds past requests from the log and compares hashes (TU1). */
    HttpApiEndpoint.get("verify", "/session/:sessionID/verify", {
      ...path,
      query: pageQuery({}),
      success: Page(VerifiedTurn),
      error: listed,
    }),
    /** What one turn sent, rebuilt from the log (TU1). */
    HttpApiEndpoint.get("sentRequest", "/session/:sessionID/turn/:turnID/request", {
      params: { sessionID: Schema.String, turnID: Schema.String },
      success: SentRequest,
      error: [TurnNotFound, ...known],
    }),
  )
  .middleware(RequestCheck) {}
