/** Embedded Holdfast with Promises, and the client that it extends. Adding a line here is an API decision. */
export * from "@holdfast/client"
export {
  describeAgents,
  type DescribedAgent,
  type DescribedAgents,
  type DescribedOptions,
  describeSkills,
  type DescribedSkill,
  type DescribedSkills,
  readTypedPrompt,
  type TypedPrompt,
} from "./described.ts"
export { fromAiSdk, type AiSdkOptions } from "./ai-sdk/from-ai-sdk.ts"
export { refreshModelCatalog, type CatalogOptions } from "./catalog.ts"
export {
  projectWarnings,
  readConfiguration,
  setSetting,
  settingDefaults,
  settingsSchema,
  type SetSettingOptions,
} from "./configure.ts"
export { configDirectoryOf, dataDirectoryOf } from "./directories.ts"
export { examineHoldfast, type Examination, type ExamineOptions } from "./examine.ts"
export type {
  EmbeddedCapabilities,
  RegisteredCall,
  RegisteredSource,
  RegisteredTool,
  Unregister,
} from "./embedded/capabilities.ts"
export {
  openHoldfast,
  type EmbeddedHoldfast,
  type EmbeddedRouter,
  type HoldfastOptions,
  type ModelOptions,
  type ProviderOptions,
  type ReserveOptions,
} from "./holdfast.ts"
export { cutInstructions, type InstructionsOptions, unreachedInstructions } from "./instructions.ts"
export {
  explainPermission,
  listPermissions,
  type PermissionsOptions,
  type RuleInForce,
} from "./permissions.ts"
export type { Explanation } from "@holdfast/core/permission/explain"
export { judgeProcess, ownProcess, type ProcessRecord } from "./process-record.ts"
export { rebuildStore } from "./rebuild.ts"
export { serveHoldfast, type Served, type ServeOptions } from "./serve.ts"
export type { AiSdkModel, GivenModel } from "@holdfast/core/host/given-models"
export type {
  CatalogRefresh,
  ConfigurationExamination,
  ConfigurationLayer,
  ExaminedProvider,
  ModelInfo,
} from "@holdfast/core/config/index"
export type { CutInstruction, IrregularInstruction } from "@holdfast/core/instructions/index"
export type { HostExamination } from "@holdfast/core/host/examine"
export { type BundleRecord, type BundleSource, bundleRecord, writeBundle } from "@holdfast/core/bundle/write"
export { callOfProcess } from "@holdfast/core/tools/call-tree/call-of-process"
export { handleOf } from "@holdfast/schema/media"
export type { AllowRule, OnAsk } from "@holdfast/schema/session"
