/** Embedded Holdfast with Promises. Adding a line here is an API decision. */
export { isFailure, type Failure, type FailureTag } from "./failure.ts"
export {
  configuredProviders,
  openHoldfast,
  type Holdfast,
  type HoldfastOptions,
  type ModelOptions,
  type ProviderOptions,
} from "./holdfast.ts"
export { LiveOverrun } from "./live-events.ts"
export type { CreateInput, Sessions } from "./sessions.ts"
export { allowedTools, type AllowedTool } from "@holdfast/core/host/index"
export type { ModelInfo, ProviderInfo } from "@holdfast/core/config/index"
export type { SendPrompt } from "@holdfast/core/runtime"
export type { LiveEvent } from "@holdfast/core/session/live"
export type { Verdict, VerifiedTurn } from "@holdfast/core/session/rebuild"
export type { RunResult, RunStatus } from "@holdfast/core/session/result"
export type { WindowSegment } from "@holdfast/core/session/window"
