/**
 * `sessions`: everything about one conversation and its work.
 *
 * What each one takes is in `input.ts`. Values that come back are branded. Every list is a Page (PG4).
 */
import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { SessionId } from "@holdfast/schema/id"
import { imageTypes } from "@holdfast/schema/media"
import { Page } from "@holdfast/schema/page"
import * as HttpApiEndpoint from "../endpoint.ts"
import {
  AgentNotFound,
  BundleRefused,
  ConfigurationInvalid,
  ImageNotFound,
  InvalidCursor,
  InvalidId,
  LocationMissing,
  LocationUnknown,
  MessageNotFound,
  MessageUnsettled,
  ModelNotFound,
  NothingOwed,
  PromptConflict,
  PromptNotFound,
  PromptNotPending,
  PromptRefused,
  RuleInvalid,
  SessionConflict,
  SessionNotFound,
  StoreFailure,
  TurnNotFound,
} from "../error.ts"
import { sessionInputs } from "../input.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { Whole } from "../page.ts"
import {
  AdmittedPrompt,
  Ask,
  BreakReceipt,
  BundleImport,
  Event,
  Message,
  Model,
  PlannedRequest,
  ProbeResult,
  PromptReceipt,
  RebuildResult,
  RunResult,
  SentRequest,
  Session,
  TurnRecord,
  VerifiedTurn,
} from "../records.ts"
import { DurableEvents } from "../sse.ts"

/** How long `wait` waits for a drain before it answers that the work goes on. */
export const drainWaitMs = 20_000

/** Of a prompt, which brings its images; every other request holds less. */
export const promptBodyBytesMax = 64 * 1_048_576

/** The header of an image's answer that holds its Media: JSON, percent-encoded as a part of a URL. */
export const mediaHeader = "holdfast-media"

/** `running` until the drain is over: ask again. */
export const WaitAnswer = Schema.Union([
  Schema.Struct({ state: Schema.Literal("running") }),
  Schema.Struct({ state: Schema.Literal("settled"), result: RunResult }),
])
export type WaitAnswer = typeof WaitAnswer.Type

/** What somebody has to answer before anything runs; empty where the work goes on (PR8). */
const ResumeAnswer = Schema.Struct({ asks: Schema.Array(Ask) })

/** `imported` is null until the last piece has come. */
const ImportAnswer = Schema.Struct({
  received: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  imported: Schema.NullOr(BundleImport),
})

const known = [SessionNotFound, InvalidId, StoreFailure] as const
const listed = [InvalidCursor, ...known] as const

export class SessionsGroup extends HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.post("create", "/session", {
      ...sessionInputs.create,
      success: Session.pipe(HttpApiSchema.status(201)),
      error: [
        LocationMissing,
        LocationUnknown,
        ModelNotFound,
        AgentNotFound,
        ConfigurationInvalid,
        SessionConflict,
        RuleInvalid,
        InvalidId,
        StoreFailure,
      ],
    }).annotate(OpenApi.Identifier, "sessions.create"),
    HttpApiEndpoint.get("list", "/session", {
      ...sessionInputs.list,
      success: Page(Session),
      error: [InvalidCursor, StoreFailure],
    }).annotate(OpenApi.Identifier, "sessions.list"),
    /** Sessions that this instance drains now (DR6). */
    HttpApiEndpoint.get("active", "/active", {
      ...sessionInputs.active,
      success: Page(SessionId),
      error: InvalidCursor,
    }).annotate(OpenApi.Identifier, "sessions.active"),
    HttpApiEndpoint.get("get", "/session/:sessionID", {
      ...sessionInputs.get,
      success: Session,
      error: known,
    }).annotate(OpenApi.Identifier, "sessions.get"),
    HttpApiEndpoint.patch("update", "/session/:sessionID", {
      ...sessionInputs.update,
      success: Session,
      error: [RuleInvalid, ...known],
    }).annotate(OpenApi.Identifier, "sessions.update"),
    HttpApiEndpoint.delete("delete", "/session/:sessionID", {
      ...sessionInputs.delete,
      success: HttpApiSchema.NoContent,
      error: known,
    }).annotate(OpenApi.Identifier, "sessions.delete"),
    /** Another Session with the same log up to a message (SS1). */
    HttpApiEndpoint.post("fork", "/session/:sessionID/fork", {
      ...sessionInputs.fork,
      success: Session.pipe(HttpApiSchema.status(201)),
      error: [MessageNotFound, MessageUnsettled, SessionConflict, ...known],
    }).annotate(OpenApi.Identifier, "sessions.fork"),
    /** The Session as one file: a bundle that another store takes in, or a page for people (ST4). */
    HttpApiEndpoint.get("export", "/session/:sessionID/export", {
      ...sessionInputs.export,
      success: HttpApiSchema.StreamUint8Array(),
      error: known,
    }).annotate(OpenApi.Identifier, "sessions.export"),
    /** One piece of a bundle; with the last, its Session is here, or nothing of it is (ST4). */
    HttpApiEndpoint.post("import", "/import", {
      ...sessionInputs.import,
      success: ImportAnswer,
      error: [BundleRefused, LocationMissing, LocationUnknown, ...known],
    }).annotate(OpenApi.Identifier, "sessions.import"),
    /** Holds from the next boundary on (EP9). */
    HttpApiEndpoint.post("move", "/session/:sessionID/move", {
      ...sessionInputs.move,
      success: Session,
      error: [LocationMissing, LocationUnknown, ...known],
    }).annotate(OpenApi.Identifier, "sessions.move"),
    HttpApiEndpoint.post("archive", "/session/:sessionID/archive", {
      ...sessionInputs.archive,
      success: Session,
      error: known,
    }).annotate(OpenApi.Identifier, "sessions.archive"),
    HttpApiEndpoint.post("prompt", "/session/:sessionID/prompt", {
      ...sessionInputs.prompt,
      success: PromptReceipt,
      error: [PromptRefused, PromptConflict, ...known],
    }).annotate(OpenApi.Identifier, "sessions.prompt"),
    HttpApiEndpoint.get("inbox", "/session/:sessionID/inbox", {
      ...sessionInputs.inbox,
      success: Page(AdmittedPrompt),
      error: listed,
    }).annotate(OpenApi.Identifier, "sessions.inbox"),
    HttpApiEndpoint.patch("edit", "/session/:sessionID/inbox/:promptID", {
      ...sessionInputs.edit,
      success: PromptReceipt,
      error: [PromptRefused, PromptNotFound, PromptNotPending, ...known],
    }).annotate(OpenApi.Identifier, "sessions.edit"),
    HttpApiEndpoint.delete("cancel", "/session/:sessionID/inbox/:promptID", {
      ...sessionInputs.cancel,
      success: PromptReceipt,
      error: [PromptNotFound, PromptNotPending, ...known],
    }).annotate(OpenApi.Identifier, "sessions.cancel"),
    HttpApiEndpoint.post("interrupt", "/session/:sessionID/interrupt", {
      ...sessionInputs.interrupt,
      success: HttpApiSchema.NoContent,
      error: known,
    }).annotate(OpenApi.Identifier, "sessions.interrupt"),
    HttpApiEndpoint.post("resume", "/session/:sessionID/resume", {
      ...sessionInputs.resume,
      success: ResumeAnswer,
      error: [NothingOwed, ...known],
    }).annotate(OpenApi.Identifier, "sessions.resume"),
    /** Who would take the next turn: the model of the Session, or another while that one rests (CA3). */
    HttpApiEndpoint.get("model", "/session/:sessionID/model", {
      ...sessionInputs.model,
      success: Model,
      error: [ModelNotFound, ...known],
    }).annotate(OpenApi.Identifier, "sessions.model"),
    HttpApiEndpoint.post("switchModel", "/session/:sessionID/model", {
      ...sessionInputs.switchModel,
      success: Session,
      error: [ModelNotFound, ...known],
    }).annotate(OpenApi.Identifier, "sessions.switchModel"),
    HttpApiEndpoint.post("switchAgent", "/session/:sessionID/agent", {
      ...sessionInputs.switchAgent,
      success: Session,
      error: [AgentNotFound, ...known],
    }).annotate(OpenApi.Identifier, "sessions.switchAgent"),
    /** Waits for the drain, at most `drainWaitMs`. */
    HttpApiEndpoint.get("wait", "/session/:sessionID/wait", {
      ...sessionInputs.wait,
      success: WaitAnswer,
      error: known,
    }).annotate(OpenApi.Identifier, "sessions.wait"),
    HttpApiEndpoint.get("messages", "/session/:sessionID/message", {
      ...sessionInputs.messages,
      success: Page(Message),
      error: listed,
    }).annotate(OpenApi.Identifier, "sessions.messages"),
    HttpApiEndpoint.get("message", "/session/:sessionID/message/:messageID", {
      ...sessionInputs.message,
      success: Message,
      error: [MessageNotFound, ...known],
    }).annotate(OpenApi.Identifier, "sessions.message"),
    /** Takes the message out of what models read, for good; it stays stored (LL7). */
    HttpApiEndpoint.post("quarantine", "/session/:sessionID/message/:messageID/quarantine", {
      ...sessionInputs.quarantine,
      success: HttpApiSchema.NoContent,
      error: [MessageNotFound, ...known],
    }).annotate(OpenApi.Identifier, "sessions.quarantine"),
    /** Asks for a cut of what the next request shows, whatever its size; everything stays stored (TU6). */
    HttpApiEndpoint.post("fold", "/session/:sessionID/fold", {
      ...sessionInputs.fold,
      success: HttpApiSchema.NoContent,
      error: known,
    }).annotate(OpenApi.Identifier, "sessions.fold"),
    /** Asks that what waits is done with the next request; it never folds (PS7). */
    HttpApiEndpoint.post("flush", "/session/:sessionID/flush", {
      ...sessionInputs.flush,
      success: HttpApiSchema.NoContent,
      error: known,
    }).annotate(OpenApi.Identifier, "sessions.flush"),
    /** Makes compartments anew from the messages that they cover, of everything or of a range (HI7). */
    HttpApiEndpoint.post("rebuild", "/session/:sessionID/rebuild", {
      ...sessionInputs.rebuild,
      success: RebuildResult,
      error: known,
    }).annotate(OpenApi.Identifier, "sessions.rebuild"),
    /** What each break kept, dropped and summed up, and what it cost (SU4). */
    HttpApiEndpoint.get("receipts", "/session/:sessionID/receipt", {
      ...sessionInputs.receipts,
      success: Page(BreakReceipt),
      error: listed,
    }).annotate(OpenApi.Identifier, "sessions.receipts"),
    /** Sends the next request without these messages, to see whether the provider takes it; it may cost money (LL7). */
    HttpApiEndpoint.post("probe", "/session/:sessionID/probe", {
      ...sessionInputs.probe,
      success: ProbeResult,
      error: [MessageNotFound, ...known],
    }).annotate(OpenApi.Identifier, "sessions.probe"),
    /** The bytes of an image as they are stored; what is known of it is in the header `mediaHeader`. */
    HttpApiEndpoint.get("image", "/session/:sessionID/image/:handle", {
      ...sessionInputs.image,
      success: imageTypes.map((contentType) =>
        Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType })),
      ),
      error: [ImageNotFound, ...known],
    }).annotate(OpenApi.Identifier, "sessions.image"),
    /** Session History as the window holds it, system messages of the Epoch included (PG3). */
    HttpApiEndpoint.get("context", "/session/:sessionID/context", {
      ...sessionInputs.context,
      success: Page(Message),
      error: listed,
    }).annotate(OpenApi.Identifier, "sessions.context"),
    HttpApiEndpoint.get("request", "/session/:sessionID/request", {
      ...sessionInputs.request,
      success: PlannedRequest,
      error: known,
    }).annotate(OpenApi.Identifier, "sessions.request"),
    /** Durable events after a sequence, then new ones as they come (EV1). */
    HttpApiEndpoint.get("events", "/session/:sessionID/event", {
      ...sessionInputs.events,
      headers: { "last-event-id": Schema.optionalKey(Whole) },
      success: DurableEvents,
      error: known,
    }).annotate(OpenApi.Identifier, "sessions.events"),
    /** The finite form of the event stream (EV1). */
    HttpApiEndpoint.get("history", "/session/:sessionID/history", {
      ...sessionInputs.history,
      success: Page(Event),
      error: listed,
    }).annotate(OpenApi.Identifier, "sessions.history"),
    HttpApiEndpoint.get("turns", "/session/:sessionID/turn", {
      ...sessionInputs.turns,
      success: Page(TurnRecord),
      error: listed,
    }).annotate(OpenApi.Identifier, "sessions.turns"),
    /** Rebuilds past requests from the log and compares hashes (TU1). */
    HttpApiEndpoint.get("verify", "/session/:sessionID/verify", {
      ...sessionInputs.verify,
      success: Page(VerifiedTurn),
      error: listed,
    }).annotate(OpenApi.Identifier, "sessions.verify"),
    /** What one turn sent, rebuilt from the log (TU1). */
    HttpApiEndpoint.get("sentRequest", "/session/:sessionID/turn/:turnID/request", {
      ...sessionInputs.sentRequest,
      success: SentRequest,
      error: [TurnNotFound, ...known],
    }).annotate(OpenApi.Identifier, "sessions.sentRequest"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "sessions")
  .annotate(OpenApi.Description, groupTexts.sessions) {}
