/** How much of a planned request the provider should have in its cache (TU7). */
import { expectedCacheRead } from "@holdfast/llm/cache-expectation"
import type { PlacedRequest } from "@holdfast/llm/wire"
import type { Pass } from "@holdfast/recall"
import type { BoundaryView } from "../boundary.ts"
import { cacheLeft } from "./lifetimes.ts"
import type { SelectionBlobs } from "./request.ts"

/** documented: shorter prefixes are not cached; larger models ask for more. */
const cachedTokensMin = 1_024

/** What a request should read from the provider's cache. A turn that sent nothing has put nothing there. */
export function cacheExpected(
  { selection, state, nowMs }: Pick<BoundaryView, "selection" | "state" | "nowMs">,
  pass: Pick<Pass, "encoded" | "break">,
  { record }: PlacedRequest,
  blobs: SelectionBlobs,
): number {
  const { lastTurn } = state
  const last = lastTurn?.started
  const sent = lastTurn?.settled === null || (lastTurn?.settled.ledger.attempts.length ?? 0) > 0
  const { target } = selection
  const { rhythm } = state.summary
  const { blocks } = pass.encoded
  const left = cacheLeft({ rhythm, last: last?.request ?? null, break: pass.break, blocks, nowMs })
  const sameModel = last?.model.provider === target.provider && last.model.model === target.model
  const sameSettings =
    sameModel && last.options === blobs.options.hash && last.request.params === record.params
  if (!left.alive) return sent && sameSettings && left.tokens >= cachedTokensMin ? left.tokens : 0
  return expectedCacheRead({
    previous: sent ? (last?.request ?? null) : null,
    commonBlocks: pass.break?.block ?? last?.request.blocks ?? 0,
    blocks,
    markers: record.markers,
    // documented: models with marks of OpenAI's kind mark the newest message by themselves.
    ...(last !== undefined && target.options.traits.cacheMarkers === "openai"
      ? { newestMarked: last.request.blocks - 1 }
      : {}),
    sameSettings,
    tokensMin: cachedTokensMin,
  })
}
