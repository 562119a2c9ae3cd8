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
export {
  cutNotice,
  frozenCut,
  type HistoryView,
  isRendered,
  outputCutText,
  render,
  renderVersion,
  unfinishedNotice,
} from "./render.ts"
