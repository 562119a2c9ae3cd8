/** The history of the leading Session, for its own context tools: read from the store, never more than a page (TL4). */
import { Effect } from "effect"
import { expandPage, type ExpandRange, knownWindow, shownTiers } from "@holdfast/recall"
import { formatModelRef } from "@holdfast/schema/model"
import { isReverted } from "@holdfast/schema/state/items"
import type { SessionHistory } from "../../tools/context/session-history.ts"
import { ToolFailure } from "../../tools/index.ts"
import type { Lead } from "../lead.ts"

/** A page holds no more of them. */
const messagesPerPage = 200

export const sessionHistory = (lead: Lead): SessionHistory => ({
  expand: (range, offset) => Effect.mapError(expand(lead, range, offset), unreadable),
  status: Effect.mapError(status(lead), unreadable),
})

const unreadable = ({ message }: { readonly message: string }): ToolFailure =>
  new ToolFailure({ code: "unreadable", message })

const expand = Effect.fnUntraced(function* (
  { ports, session, loaded }: Lead,
  range: ExpandRange,
  offset: number,
) {
  const { fromSeq, toSeq } = range
  const page = { afterSeq: fromSeq - 1, limit: messagesPerPage + 1, system: false }
  const { items } = loaded.state
  const found = (yield* ports.store.messages(session, page)).filter(
    ({ seq }) => seq <= toSeq && !isReverted(items, seq),
  )
  if (found.length === 0) return null
  const shown = expandPage(found.slice(0, messagesPerPage), offset)
  const beyond = found[messagesPerPage]
  if (shown.next !== null || beyond === undefined) return shown
  return { ...shown, next: { seq: beyond.seq, offset: 0 } }
})

const status = Effect.fnUntraced(function* ({ ports, loaded: { state } }: Lead) {
  const started = state.lastTurn?.started
  const { ref, contextTokens: stated, target } = yield* ports.model(started?.model ?? null)
  const contextTokens = knownWindow(state.limits, ref, stated)
  const outputTokens = target.options.generation.outputTokensMax
  const usedTokens = started?.request.tokensEstimated ?? 0
  const tiers = new Map(shownTiers(state.frozen.slots).map(({ id, tier }) => [id, tier]))
  return {
    model: formatModelRef(ref),
    contextTokens,
    outputTokens,
    usedTokens,
    leftTokens: Math.max(0, contextTokens - outputTokens - usedTokens),
    parts: [...state.items.compartments.values()]
      .toSorted((a, b) => a.fromSeq - b.fromSeq)
      .map(({ id, title }) => ({ id, title, tier: tiers.get(id) ?? null })),
  }
})
