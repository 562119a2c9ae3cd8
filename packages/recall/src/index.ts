/**
 * Recall: keeps a long Session inside a finite window. The port is `plan` and `render`; core calls
 * them and holds no rule of what is in the window.
 */
export { type BreakCauses, describeBreak } from "./break.ts"
export {
  ceilingTokens,
  countedRate,
  tokensAsCounted,
  fits,
  type FloorItem,
  sizeTokens,
  usageShare,
  type WindowLimits,
} from "./cut.ts"
export { editorInstructions } from "./historian/editor.ts"
export { historianInstructions } from "./historian/prompt.ts"
export {
  editDraft,
  type HistorianTask,
  judgeAnswer,
  type Judged,
  prepareTask,
  rangeContent,
  writeExtract,
} from "./historian/task.ts"
export { observationsAsk, observationsIn } from "./historian/observations.ts"
export { trigger, type Triggered } from "./historian/trigger.ts"
export { moveBehind } from "./history/move.ts"
export { isArchive, type KnownHistory, noHistory, type Published, uncoveredSpan } from "./history/publish.ts"
export { isRebuilt, needsModel, type RebuildRange, rebuildRange, rebuildRanges } from "./history/rebuild.ts"
export { recallStatus, shownCompartments } from "./history/shown.ts"
export { imageBytesShownMax, imagesOf, imagesShownMax } from "./images.ts"
export { knownWindow, type SizeRefusal } from "./learned-window.ts"
export {
  executeShareDefault,
  executeShareMax,
  executeShareMin,
  longestLifetimeMs,
  type Mode,
  thresholdOf,
  unmarkedLifetimeMs,
} from "./decide.ts"
export type { ProjectDoc } from "./docs.ts"
export { plan } from "./pass.ts"
export {
  type Candidate,
  type HistorianState,
  type Idle,
  inlineHistorian,
  notIdle,
  type Pass,
  type PassCauses,
  type PassQuestion,
  type PlannedPass,
} from "./question.ts"
export {
  cutNotice,
  type HistoryView,
  outputCutText,
  quarantineNotice,
  render,
  type RenderedHistory,
  renderVersion,
  unfinishedNotice,
} from "./render.ts"
export { askDrop, type AskedDrop } from "./reduce/ask-drop.ts"
export { type DropDetail, reduce, type ReduceQuestion, type Reduction } from "./reduce/reduce.ts"
export { gapBetween } from "./reduce/gap.ts"
export { noteNudgeFor, noteToolName } from "./reduce/note-nudge.ts"
export { nudgeFor } from "./reduce/nudge.ts"
export { droppedTag, mark, reduceToolName } from "./reduce/tag.ts"
export { todoText } from "./reduce/todo-pair.ts"
export { droppedFrom, protectedFrom, refOf, type Unit, unitsOf } from "./reduce/units.ts"
export { addedTokens } from "./size.ts"
export { workingWindow } from "./history/tail.ts"
export { knownLines, type KnownMemory, memoryBaseline, memoryDelta, type MemoryMarker } from "./memory.ts"
export { expandToolName, knownCompartments, shownMemories, shownTiers } from "./slots.ts"
export { callAlone, type ExpandedPage, expandPage, type ExpandRange, readRange } from "./expand.ts"
export { pageBytesInWindow } from "./history/page-room.ts"
export { type AuthorNames, readQuestion } from "./search/question.ts"
export { isQuestion, type RankedUnit, type RankedWeights, rankUnits, rankWeights } from "./search/rank.ts"
export { snippetOf } from "./search/snippet.ts"
export { bound, changedMax, type DreamChange, type Flag, type Proposal, touchedBy } from "./dreamer/plan.ts"
export { type FileState, pathsIn, planTidy, type TidyPlan } from "./dreamer/tidy.ts"
export { differencesOf } from "./dreamer/differences.ts"
export { dreamIdAt, planRevert, type RevertPlan } from "./dreamer/revert.ts"
export { findingText, judgeFinding, sidekickInstructions, sidekickPrompt } from "./sidekick.ts"
export { documentFaults, documentPaths } from "./dreamer/documents.ts"
export {
  changesMemory,
  dreamerInstructions,
  judgeTask,
  keyFilesMax,
  type ModelTask,
  partOfRun,
  type TaskAnswer,
  taskPrompt,
  type TaskView,
} from "./dreamer/tasks.ts"
