/**
 * Failures as the contract sends them, each with its HTTP status.
 *
 * Values of @holdfast/schema know no transport, so their status is set here. The second half are
 * failures that exist only because there is a transport. Each is sent as a JSON object with `_tag` and
 * `message`; clients match the tag, never the status or the text.
 */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as failure from "@holdfast/schema/error"

/** The one table of statuses. A name that is missing here cannot be declared below. */
export const failureStatus = {
  InvalidRequest: 400,
  NotSupported: 400,
  InvalidCursor: 400,
  InvalidId: 400,
  PromptRefused: 400,
  BundleRefused: 400,
  AnswerRefused: 400,
  RuleInvalid: 400,
  LocationMissing: 400,
  LocationUnknown: 400,
  PathOutside: 400,
  PathRefused: 400,
  ModelNotFound: 400,
  AgentNotFound: 400,
  ConfigurationInvalid: 400,
  PtyRefused: 400,
  Unauthorized: 401,
  CallerRefused: 403,
  RouteNotFound: 404,
  SessionNotFound: 404,
  MessageNotFound: 404,
  ImageNotFound: 404,
  PathNotFound: 404,
  TurnNotFound: 404,
  DreamNotFound: 404,
  PromptNotFound: 404,
  PtyNotFound: 404,
  MemoryNotFound: 404,
  NoteNotFound: 404,
  WorkspaceNotFound: 404,
  SessionConflict: 409,
  MessageUnsettled: 409,
  PromptConflict: 409,
  PromptNotPending: 409,
  AskNotOpen: 409,
  NothingOwed: 409,
  MemoryRefused: 409,
  WorkspaceRefused: 409,
  PtyEnded: 409,
  RequestTimedOut: 408,
  RequestTooLarge: 413,
  ContentTypeRefused: 415,
  RequestHeadTooLarge: 431,
  InternalFailure: 500,
  PtyUnavailable: 503,
  StoreFailure: 503,
} as const
export type FailureTag = keyof typeof failureStatus

const said = { message: Schema.String }

const withStatus = <S extends Schema.Top & { readonly identifier: string }>(schema: S): S["Rebuild"] =>
  schema.pipe(HttpApiSchema.status(failureStatus[schema.identifier as FailureTag]))

export const MemoryNotFound = withStatus(failure.MemoryNotFound)
export const MemoryRefused = withStatus(failure.MemoryRefused)
export const NoteNotFound = withStatus(failure.NoteNotFound)
export const WorkspaceNotFound = withStatus(failure.WorkspaceNotFound)
export const WorkspaceRefused = withStatus(failure.WorkspaceRefused)
export const InvalidRequest = withStatus(failure.InvalidRequest)

/** The caller was made from a newer contract, and says something that this one does not know (EV1). */
export class NotSupported extends Schema.TaggedError<NotSupported>()(
  "NotSupported",
  {
    ...said,
    field: Schema.String,
    /** The version of the contract that is spoken here. */
    contract: Schema.String,
  },
  { httpApiStatus: failureStatus.NotSupported },
) {}

/** The token is missing or wrong; which of the two is not told (AU1). */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", said, {
  httpApiStatus: failureStatus.Unauthorized,
}) {}

/** The request came by a name or from a page that is not let in (AU1). */
export class CallerRefused extends Schema.TaggedError<CallerRefused>()(
  "CallerRefused",
  { ...said, header: Schema.Literals(["host", "origin"]) },
  { httpApiStatus: failureStatus.CallerRefused },
) {}

export class RouteNotFound extends Schema.TaggedError<RouteNotFound>()("RouteNotFound", said, {
  httpApiStatus: failureStatus.RouteNotFound,
}) {}

export class RequestTooLarge extends Schema.TaggedError<RequestTooLarge>()(
  "RequestTooLarge",
  { ...said, bytesMax: Schema.Int },
  { httpApiStatus: failureStatus.RequestTooLarge },
) {}

/** Its address and headers together. */
export class RequestHeadTooLarge extends Schema.TaggedError<RequestHeadTooLarge>()(
  "RequestHeadTooLarge",
  { ...said, bytesMax: Schema.Int },
  { httpApiStatus: failureStatus.RequestHeadTooLarge },
) {}

/** It was not there as a whole within the time that a request has. */
export class RequestTimedOut extends Schema.TaggedError<RequestTimedOut>()("RequestTimedOut", said, {
  httpApiStatus: failureStatus.RequestTimedOut,
}) {}

export class ContentTypeRefused extends Schema.TaggedError<ContentTypeRefused>()("ContentTypeRefused", said, {
  httpApiStatus: failureStatus.ContentTypeRefused,
}) {}

/** A defect of the server. `ref` finds the detail in its own records; none of it is sent. */
export class InternalFailure extends Schema.TaggedError<InternalFailure>()(
  "InternalFailure",
  { ...said, ref: Schema.String },
  { httpApiStatus: failureStatus.InternalFailure },
) {}

/** What may be answered to any request at all, before or instead of an endpoint. */
export const TransportFailure = Schema.Union([
  Unauthorized,
  CallerRefused,
  RouteNotFound,
  RequestTooLarge,
  RequestHeadTooLarge,
  RequestTimedOut,
  ContentTypeRefused,
  InvalidRequest,
  InternalFailure,
])
export type TransportFailure = typeof TransportFailure.Type

export const InvalidId = withStatus(failure.InvalidId)
export const InvalidCursor = withStatus(failure.InvalidCursor)
export const PromptRefused = withStatus(failure.PromptRefused)
export const BundleRefused = withStatus(failure.BundleRefused)
export const AskNotOpen = withStatus(failure.AskNotOpen)
export const AnswerRefused = withStatus(failure.AnswerRefused)
export const RuleInvalid = withStatus(failure.RuleInvalid)
export const LocationMissing = withStatus(failure.LocationMissing)
export const LocationUnknown = withStatus(failure.LocationUnknown)
export const PathOutside = withStatus(failure.PathOutside)
export const PathNotFound = withStatus(failure.PathNotFound)
export const PathRefused = withStatus(failure.PathRefused)
export const ModelNotFound = withStatus(failure.ModelNotFound)
export const AgentNotFound = withStatus(failure.AgentNotFound)
export const ConfigurationInvalid = withStatus(failure.ConfigurationInvalid)
export const SessionNotFound = withStatus(failure.SessionNotFound)
export const SessionConflict = withStatus(failure.SessionConflict)
export const MessageUnsettled = withStatus(failure.MessageUnsettled)
export const MessageNotFound = withStatus(failure.MessageNotFound)
export const ImageNotFound = withStatus(failure.ImageNotFound)
export const TurnNotFound = withStatus(failure.TurnNotFound)
export const DreamNotFound = withStatus(failure.DreamNotFound)
export const PromptNotFound = withStatus(failure.PromptNotFound)
export const PromptConflict = withStatus(failure.PromptConflict)
export const PromptNotPending = withStatus(failure.PromptNotPending)
export const NothingOwed = withStatus(failure.NothingOwed)
export const PtyNotFound = withStatus(failure.PtyNotFound)
export const PtyRefused = withStatus(failure.PtyRefused)
export const PtyEnded = withStatus(failure.PtyEnded)
export const PtyUnavailable = withStatus(failure.PtyUnavailable)
export const StoreFailure = withStatus(failure.StoreFailure)
