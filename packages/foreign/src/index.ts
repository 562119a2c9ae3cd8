/** Sessions of other agents: their records, and the readers that yield them. */
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
} from "./record.ts"
export { agents } from "./record.ts"
