/** The last request of a Session once more, block for block, with the least output that can be asked for. */
import { Effect } from "effect"
import { encodedOf } from "@holdfast/llm/blocks"
import type { Lifetimes } from "@holdfast/llm/cache-lifetime"
import type { RequestOptions, Target } from "@holdfast/llm/segments"
import type { PlacedRequest } from "@holdfast/llm/wire"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionState } from "@holdfast/schema/state/state"
import type { Store } from "@holdfast/store/port"
import type { ModelSetup } from "../ports.ts"
import { asSeenAt } from "./past.ts"
import { loadSelection } from "./rebuild.ts"
import { encodeState } from "./request.ts"

/** Null where its blocks are not known any more, or another wire would write it now. */
export const repeatLast = Effect.fnUntraced(function* (
  store: Store,
  state: SessionState,
  setup: ModelSetup,
  lifetimes: Lifetimes,
): Effect.fn.Return<PlacedRequest | null, StoreFailure> {
  const started = state.lastTurn?.started
  const selection = started === undefined ? null : yield* loadSelection(store, started)
  if (started === undefined || selection?.wire.encoder !== setup.wire.encoder) return null
  const { blocks, prefixHash, markers } = started.request
  const target: Target = { ...selection.target, options: withLeastOutput(selection.target.options) }
  const whole = encodeState(asSeenAt(state, started.seenSeq), { ...selection, target })
  const encoded = encodedOf(whole.blocks.slice(0, blocks), whole.params)
  if (encoded.prefixHash !== prefixHash || markers.length === 0) return null
  return selection.wire.place(encoded, target, blocks, lifetimes)
})

/** documented: a budget of reasoning is a part of the cache's key, and has to leave room for an answer. */
function withLeastOutput(options: RequestOptions): RequestOptions {
  const { reasoning } = options.model
  const outputTokensMax = reasoning?.kind === "budget" ? reasoning.tokens + 1 : 1
  return { ...options, generation: { ...options.generation, outputTokensMax } }
}
