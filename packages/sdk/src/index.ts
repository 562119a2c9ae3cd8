/** Embedded Holdfast with Promises. Adding a line here is an API decision. */
export { fromAiSdk, type AiSdkOptions } from "./ai-sdk/from-ai-sdk.ts"
export { markConfiguration, type ConfigurationMark } from "./configuration-mark.ts"
export { dataDirectoryOf } from "./directories.ts"
export { examineHoldfast, type Examination, type ExamineOptions } from "./examine.ts"
export type {
  EmbeddedCapabilities,
  RegisteredCall,
  RegisteredSource,
  RegisteredTool,
  Unregister,
} from "./embedded/capabilities.ts"
export { isFailure, type Failure, type FailureTag } from "./failure.ts"
export {
  configuredProviders,
  connectHoldfast,
  openHoldfast,
  serveHoldfast,
  type EmbeddedHoldfast,
  type Holdfast,
  type HoldfastOptions,
  type ModelOptions,
  type ProviderOptions,
} from "./holdfast.ts"
export { cutInstructions, type InstructionsOptions } from "./instructions.ts"
export { LiveOverrun } from "./live-overrun.ts"
export {
  listConfiguredModels,
  refreshModelCatalog,
  type ListedCache,
  type ListedModel,
  type ListedProvider,
  type ListModelsOptions,
  type ModelListing,
} from "./models.ts"
export { ClientError, type ClientErrorReason } from "./network/client-error.ts"
export type { ConnectOptions } from "./network/connect.ts"
export { followEvents, type FollowOptions } from "./network/follow.ts"
export { everyItem } from "./pages.ts"
export { judgeProcess, ownProcess, type ProcessRecord } from "./process-record.ts"
export { rebuildStore } from "./rebuild.ts"
export type { Served, ServeOptions } from "./serve.ts"
export type {
  CreateInput,
  HistoryInput,
  MessagesInput,
  PageInput,
  PromptImage,
  PromptInput,
  SessionImage,
  Sessions,
  UpdateInput,
} from "./sessions.ts"
export type { AiSdkModel, GivenModel } from "@holdfast/core/host/given-models"
export type {
  CatalogRefresh,
  ConfigurationExamination,
  ConfigurationLayer,
  ExaminedProvider,
  ModelInfo,
  ProviderInfo,
} from "@holdfast/core/config/index"
export type { CutInstruction } from "@holdfast/core/instructions/index"
export type { HostExamination } from "@holdfast/core/host/examine"
export type { LiveEvent } from "@holdfast/core/session/live"
export { isDeletion, type DurableStreamEvent } from "@holdfast/schema/event"
export type { Health } from "@holdfast/schema/health"
export type { LifecycleEvent } from "@holdfast/schema/live"
export { handleOf, type Media } from "@holdfast/schema/media"
export type { Cursor, Page } from "@holdfast/schema/page"
export type { PlannedRequest, RequestBlock, RequestSegment } from "@holdfast/schema/planned-request"
export { allowedTools, type AllowedTool } from "@holdfast/schema/session"
export type { RunResult, RunStatus } from "@holdfast/schema/run-result"
export type { SentRequest, TurnRecord, Verdict, VerifiedTurn } from "@holdfast/schema/turn-record"
