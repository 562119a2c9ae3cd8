/**
 * Recall: keeps a long Session inside a finite window. The port is `plan` and `render`; core calls
 * them and holds no rule of what is in the window.
 */
export { type BreakCauses, describeBreak } from "./break.ts"
export { ceilingTokens, fits, type FloorItem, sizeTokens, type WindowLimits } from "./cut.ts"
export { type KnownHistory, noHistory, type Published } from "./history/publish.ts"
export { imageBytesShownMax, imagesOf, imagesShownMax } from "./images.ts"
export { knownWindow, type SizeRefusal } from "./learned-window.ts"
export { type Candidate, type Pass, type PassCauses, type PassQuestion, plan } from "./pass.ts"
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
export { expandToolName, shownTiers } from "./slots.ts"
export { type ExpandedPage, expandPage, type ExpandRange, readRange } from "./expand.ts"
