/** Recall: keeps a long Session inside a finite window. */
export {
  ceilingTokens,
  fits,
  type GateLimits,
  type GatePlan,
  type GateView,
  planReduction,
  reductionShares,
  sizeTokens,
} from "./gate.ts"
export { imageBytesShownMax, imagesOf, imagesShownMax, planImages } from "./images.ts"
export { knownWindow, learnWindow, type SizeRefusal } from "./learned-window.ts"
export {
  cutNotice,
  frozenCut,
  type HistoryView,
  isRendered,
  outputCutText,
  quarantineNotice,
  render,
  renderVersion,
  unfinishedNotice,
} from "./render.ts"
