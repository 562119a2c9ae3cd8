/** From the planned request and the ledger to what the screen shows: the same numbers, with names. */
import type { PlannedRequest, Session, TurnRecord } from "@holdfast/sdk"
import { addSpent, formatModelRef, type Spent, spentBy, spentNone } from "@holdfast/schema/model"
import type { RequestSegment } from "@holdfast/schema/planned-request"
import type { SegmentName } from "@holdfast/schema/turn"
import { count } from "../figures.ts"
import { statusWords } from "../sessions/status-words.ts"
import { cacheLoss } from "./cache-loss.ts"
import type { WindowView } from "./layout.ts"

export function windowView(
  session: Session,
  request: PlannedRequest,
  turns: readonly TurnRecord[],
): WindowView {
  const { lastBreak, break: nextBreak, cost } = request
  const settled = turns.flatMap(({ settled: fact }) => fact ?? [])
  const last = settled.at(-1)
  const imported = turns.filter(({ started }) => started.request.blocks === 0).length
  return {
    session: session.id,
    title: session.title,
    state: stateText(session.status),
    model: request.model === null ? "no model" : formatModelRef(request.model),
    limitTokens: request.limit?.contextTokens ?? null,
    note: noteOf(request),
    segments: request.segments.map(segmentOf),
    recall: recallOf(request),
    lastBreak: lastBreak && {
      turn: turns.findIndex(({ started }) => started.turn === lastBreak.turn) + 1,
      cause: cacheLoss(lastBreak),
    },
    nextBreak: request.obstacle === null && nextBreak !== null ? { cause: cacheLoss(nextBreak) } : null,
    nextPrice: nextPriceOf(request),
    lastTurn: last === undefined ? null : { ...spentOf([last]), cost: cost.lastTurn },
    spent: {
      ...turns.flatMap(({ warmed = [] }) => warmed.map(exactly)).reduce(addSpent, spentOf(settled)),
      cost: cost.session,
      accuracy: cost.accuracy.session,
      costKnown: session.costKnown,
    },
    turns: turns.length,
    ...(imported > 0 && { turnsImported: imported }),
  }
}

/** What cannot be sent costs nothing. */
function nextPriceOf(request: PlannedRequest): WindowView["nextPrice"] {
  const { costExpected, priceExpected = null, obstacle } = request
  if (costExpected === undefined || obstacle !== null) return null
  const { costOtherwise, costWarm, cause } = priceExpected ?? {}
  return {
    cost: costExpected,
    lapsed: cause === "cold",
    leftAsItIs: costOtherwise ?? null,
    cached: costOtherwise === undefined ? (costWarm ?? null) : null,
  }
}

function recallOf({ recall, compartments = [] }: PlannedRequest): WindowView["recall"] {
  if (recall === undefined) return null
  const { waiting, ...figures } = recall
  const parts = compartments.map(({ id, tier, archived = false }) => ({ id, tier, archived }))
  return {
    ...figures,
    parts,
    waiting: waiting.map(({ kind, count: many }) => waitingText(kind, many)).join(", "),
  }
}

/** Signals as people call them. */
export function waitingText(kind: string, many: number): string {
  if (kind === "drop") return count(many, "drop")
  if (kind === "execute") return "a fold that was put off"
  return kind === "fold" || kind === "flush" ? `a ${kind} that was asked for` : kind
}

const stateText = ({ state, owing }: Session["status"]): string =>
  `${statusWords[state]}${owing ? ", an answer is owed (owing)" : ""}`

const segmentOf = ({ name, source, why, tokens, tokensCached }: RequestSegment) => ({
  name: segmentNames[name],
  tokens,
  cachedTokens: tokensCached,
  source,
  why,
})

/** Segments as people call them, with the term in brackets. */
const segmentNames: Record<SegmentName, string> = {
  params: "parameters",
  tools: "tools",
  system: "facts (Baseline)",
  agent: "agent prompt",
  "history-baseline": "History Baseline",
  "history-delta": "History Delta",
  tail: "messages (tail)",
}

function noteOf({ obstacle, due }: PlannedRequest): string {
  if (obstacle !== null) return obstacle.message
  return due ? "a turn is due" : "nothing is due"
}

/** A request that kept the cache is paid for by the Session, and by no turn. */
const exactly = ({ usage, cost }: Pick<Spent, "usage" | "cost">): Spent => ({
  usage,
  cost,
  accuracy: "exact",
})

const spentOf = (settled: readonly NonNullable<TurnRecord["settled"]>[]): Spent =>
  settled.map(spentBy).reduce(addSpent, spentNone)
