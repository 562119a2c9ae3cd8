/** Sessions of other agents: their records, the readers that yield them, and what they cost. */
export { agentOf, type Format, sessionFormat, agentReaders } from "./detect.ts"
export { readOpenCodeStore } from "./opencode/store.ts"
export type {
  Agent,
  AssistantRecord,
  BranchRecord,
  CompactionRecord,
  ForeignImage,
  ForeignParent,
  ForeignPart,
  ForeignRecord,
  PromptRecord,
  Reader,
  ResultRecord,
  SessionRecord,
  SettingRecord,
  SkippedRecord,
  SkipReason,
  UsageRecord,
  UsageTokens,
} from "./record.ts"
export { agents } from "./record.ts"
export { findSources, type Found, readSource, type Source, type Unknown, usualPlaces } from "./source.ts"
export { gatherSessions } from "./facts/gather.ts"
export type { TakeImage } from "./facts/images.ts"
export type { Entry } from "./facts/log.ts"
export { type ImportChoices, type ImportedSession, importedSessions } from "./facts/sessions.ts"
export { type Cause, causes } from "./accounting/breaks.ts"
export { type Account, Collector, promptTokens, writtenTokens } from "./accounting/collect.ts"
export {
  type BreakReport,
  type Choice,
  placeOf,
  type Report,
  report,
  type Row,
  type SessionReport,
} from "./accounting/report.ts"
