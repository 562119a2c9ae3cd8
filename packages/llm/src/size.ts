/**
 * Sizes: how many tokens some content takes, estimated from its bytes (TU6).
 *
 * There is no tokenizer in the server process. An estimate by content class is corrected by what
 * the provider reports, per model: the ratio of reported to estimated input moves slowly, so one
 * odd answer does not move the ceiling.
 */

/** What bytes are made of decides how many of them make a token. `output` is what tools print. */
export type ContentClass = "prose" | "json" | "output" | "opaque"

/** Fitted to the usage recorded in six long coding sessions, 1,165 requests. */
const bytesPerToken: Readonly<Record<ContentClass, number>> = {
  prose: 3.5,
  json: 3.5,
  output: 3.1,
  opaque: 4,
}

/** Role, type and separators of one block; a call and its result are framed at more length. */
export const blockOverheadTokens = 5
export const callOverheadTokens = 25

export function estimateTokens(bytes: number, content: ContentClass): number {
  return Math.ceil(bytes / bytesPerToken[content])
}

/** documented by Anthropic; others count fewer, so the estimate is on the safe side. */
const pixelsPerToken = 750

export const imageTokens = ({ width, height }: { readonly width: number; readonly height: number }): number =>
  Math.ceil((width * height) / pixelsPerToken)

/** Bounds of a correction: outside of them a report says more about the report. */
const ratioMin = 0.5
const ratioMax = 2
/** Weight of the newest report. */
const ratioStep = 0.2
/** Below this many estimated tokens the fixed costs of a provider hide the ratio. */
const ratioTokensMin = 2_000

export const correctTokens = (estimate: number, ratio: number): number => Math.ceil(estimate * ratio)

/** The next ratio of a model after an answer that reported its whole input. */
export function nextRatio(ratio: number, estimated: number, reported: number): number {
  if (estimated < ratioTokensMin || reported <= 0) return ratio
  const seen = Math.min(ratioMax, Math.max(ratioMin, reported / estimated))
  return ratio + (seen - ratio) * ratioStep
}
