// Made from the contract by `npm run codegen`; changes here are lost.

import type {
  AgentNotFound,
  AnswerRefused,
  AskNotOpen,
  BundleRefused,
  CallerRefused,
  ConfigurationInvalid,
  ContentTypeRefused,
  DreamNotFound,
  ImageNotFound,
  InternalFailure,
  InvalidCursor,
  InvalidId,
  InvalidRequest,
  LocationMissing,
  LocationUnknown,
  MemoryNotFound,
  MemoryRefused,
  MessageNotFound,
  MessageUnsettled,
  ModelNotFound,
  NotSupported,
  NoteNotFound,
  NothingOwed,
  PathNotFound,
  PathOutside,
  PathRefused,
  PromptConflict,
  PromptNotFound,
  PromptNotPending,
  PromptRefused,
  PtyEnded,
  PtyNotFound,
  PtyRefused,
  PtyUnavailable,
  RequestHeadTooLarge,
  RequestTimedOut,
  RequestTooLarge,
  RouteNotFound,
  RuleInvalid,
  SessionConflict,
  SessionNotFound,
  StoreFailure,
  TurnNotFound,
  Unauthorized,
  WorkspaceNotFound,
  WorkspaceRefused,
} from "./records.ts"

import { hasTag } from "../tag.ts"

/** Everything that an operation may fail with, as its answer said it. */
export type Failure =
  | AgentNotFound
  | AnswerRefused
  | AskNotOpen
  | BundleRefused
  | CallerRefused
  | ConfigurationInvalid
  | ContentTypeRefused
  | DreamNotFound
  | ImageNotFound
  | InternalFailure
  | InvalidCursor
  | InvalidId
  | InvalidRequest
  | LocationMissing
  | LocationUnknown
  | MemoryNotFound
  | MemoryRefused
  | MessageNotFound
  | MessageUnsettled
  | ModelNotFound
  | NotSupported
  | NoteNotFound
  | NothingOwed
  | PathNotFound
  | PathOutside
  | PathRefused
  | PromptConflict
  | PromptNotFound
  | PromptNotPending
  | PromptRefused
  | PtyEnded
  | PtyNotFound
  | PtyRefused
  | PtyUnavailable
  | RequestHeadTooLarge
  | RequestTimedOut
  | RequestTooLarge
  | RouteNotFound
  | RuleInvalid
  | SessionConflict
  | SessionNotFound
  | StoreFailure
  | TurnNotFound
  | Unauthorized
  | WorkspaceNotFound
  | WorkspaceRefused

export const isAgentNotFound = (failure: unknown): failure is AgentNotFound =>
  hasTag(failure, "AgentNotFound")
export const isAnswerRefused = (failure: unknown): failure is AnswerRefused =>
  hasTag(failure, "AnswerRefused")
export const isAskNotOpen = (failure: unknown): failure is AskNotOpen => hasTag(failure, "AskNotOpen")
export const isBundleRefused = (failure: unknown): failure is BundleRefused =>
  hasTag(failure, "BundleRefused")
export const isCallerRefused = (failure: unknown): failure is CallerRefused =>
  hasTag(failure, "CallerRefused")
export const isConfigurationInvalid = (failure: unknown): failure is ConfigurationInvalid =>
  hasTag(failure, "ConfigurationInvalid")
export const isContentTypeRefused = (failure: unknown): failure is ContentTypeRefused =>
  hasTag(failure, "ContentTypeRefused")
export const isDreamNotFound = (failure: unknown): failure is DreamNotFound =>
  hasTag(failure, "DreamNotFound")
export const isImageNotFound = (failure: unknown): failure is ImageNotFound =>
  hasTag(failure, "ImageNotFound")
export const isInternalFailure = (failure: unknown): failure is InternalFailure =>
  hasTag(failure, "InternalFailure")
export const isInvalidCursor = (failure: unknown): failure is InvalidCursor =>
  hasTag(failure, "InvalidCursor")
export const isInvalidId = (failure: unknown): failure is InvalidId => hasTag(failure, "InvalidId")
export const isInvalidRequest = (failure: unknown): failure is InvalidRequest =>
  hasTag(failure, "InvalidRequest")
export const isLocationMissing = (failure: unknown): failure is LocationMissing =>
  hasTag(failure, "LocationMissing")
export const isLocationUnknown = (failure: unknown): failure is LocationUnknown =>
  hasTag(failure, "LocationUnknown")
export const isMemoryNotFound = (failure: unknown): failure is MemoryNotFound =>
  hasTag(failure, "MemoryNotFound")
export const isMemoryRefused = (failure: unknown): failure is MemoryRefused =>
  hasTag(failure, "MemoryRefused")
export const isMessageNotFound = (failure: unknown): failure is MessageNotFound =>
  hasTag(failure, "MessageNotFound")
export const isMessageUnsettled = (failure: unknown): failure is MessageUnsettled =>
  hasTag(failure, "MessageUnsettled")
export const isModelNotFound = (failure: unknown): failure is ModelNotFound =>
  hasTag(failure, "ModelNotFound")
export const isNotSupported = (failure: unknown): failure is NotSupported => hasTag(failure, "NotSupported")
export const isNoteNotFound = (failure: unknown): failure is NoteNotFound => hasTag(failure, "NoteNotFound")
export const isNothingOwed = (failure: unknown): failure is NothingOwed => hasTag(failure, "NothingOwed")
export const isPathNotFound = (failure: unknown): failure is PathNotFound => hasTag(failure, "PathNotFound")
export const isPathOutside = (failure: unknown): failure is PathOutside => hasTag(failure, "PathOutside")
export const isPathRefused = (failure: unknown): failure is PathRefused => hasTag(failure, "PathRefused")
export const isPromptConflict = (failure: unknown): failure is PromptConflict =>
  hasTag(failure, "PromptConflict")
export const isPromptNotFound = (failure: unknown): failure is PromptNotFound =>
  hasTag(failure, "PromptNotFound")
export const isPromptNotPending = (failure: unknown): failure is PromptNotPending =>
  hasTag(failure, "PromptNotPending")
export const isPromptRefused = (failure: unknown): failure is PromptRefused =>
  hasTag(failure, "PromptRefused")
export const isPtyEnded = (failure: unknown): failure is PtyEnded => hasTag(failure, "PtyEnded")
export const isPtyNotFound = (failure: unknown): failure is PtyNotFound => hasTag(failure, "PtyNotFound")
export const isPtyRefused = (failure: unknown): failure is PtyRefused => hasTag(failure, "PtyRefused")
export const isPtyUnavailable = (failure: unknown): failure is PtyUnavailable =>
  hasTag(failure, "PtyUnavailable")
export const isRequestHeadTooLarge = (failure: unknown): failure is RequestHeadTooLarge =>
  hasTag(failure, "RequestHeadTooLarge")
export const isRequestTimedOut = (failure: unknown): failure is RequestTimedOut =>
  hasTag(failure, "RequestTimedOut")
export const isRequestTooLarge = (failure: unknown): failure is RequestTooLarge =>
  hasTag(failure, "RequestTooLarge")
export const isRouteNotFound = (failure: unknown): failure is RouteNotFound =>
  hasTag(failure, "RouteNotFound")
export const isRuleInvalid = (failure: unknown): failure is RuleInvalid => hasTag(failure, "RuleInvalid")
export const isSessionConflict = (failure: unknown): failure is SessionConflict =>
  hasTag(failure, "SessionConflict")
export const isSessionNotFound = (failure: unknown): failure is SessionNotFound =>
  hasTag(failure, "SessionNotFound")
export const isStoreFailure = (failure: unknown): failure is StoreFailure => hasTag(failure, "StoreFailure")
export const isTurnNotFound = (failure: unknown): failure is TurnNotFound => hasTag(failure, "TurnNotFound")
export const isUnauthorized = (failure: unknown): failure is Unauthorized => hasTag(failure, "Unauthorized")
export const isWorkspaceNotFound = (failure: unknown): failure is WorkspaceNotFound =>
  hasTag(failure, "WorkspaceNotFound")
export const isWorkspaceRefused = (failure: unknown): failure is WorkspaceRefused =>
  hasTag(failure, "WorkspaceRefused")

export const failureTags: ReadonlySet<string> = new Set([
  "AgentNotFound",
  "AnswerRefused",
  "AskNotOpen",
  "BundleRefused",
  "CallerRefused",
  "ConfigurationInvalid",
  "ContentTypeRefused",
  "DreamNotFound",
  "ImageNotFound",
  "InternalFailure",
  "InvalidCursor",
  "InvalidId",
  "InvalidRequest",
  "LocationMissing",
  "LocationUnknown",
  "MemoryNotFound",
  "MemoryRefused",
  "MessageNotFound",
  "MessageUnsettled",
  "ModelNotFound",
  "NotSupported",
  "NoteNotFound",
  "NothingOwed",
  "PathNotFound",
  "PathOutside",
  "PathRefused",
  "PromptConflict",
  "PromptNotFound",
  "PromptNotPending",
  "PromptRefused",
  "PtyEnded",
  "PtyNotFound",
  "PtyRefused",
  "PtyUnavailable",
  "RequestHeadTooLarge",
  "RequestTimedOut",
  "RequestTooLarge",
  "RouteNotFound",
  "RuleInvalid",
  "SessionConflict",
  "SessionNotFound",
  "StoreFailure",
  "TurnNotFound",
  "Unauthorized",
  "WorkspaceNotFound",
  "WorkspaceRefused",
])
