/**
 * How far the boundary moves where a pass does its work (TA1, MK1).
 *
 * What a historian has published leaves with any break. Where no model writes, or none is at work and what it
 * published is too little, the extractive one covers more of it: from the newest message back, as much stays as is aimed at, and never less than the
 * protected tail. That has to be worth a break: a history that hardly shrinks is left as it is.
 */
import type { Encoded } from "@holdfast/llm/wire"
import type { Message } from "@holdfast/schema/message"
import { newestInputs } from "@holdfast/schema/state/state"
import {
  ceilingTokens,
  extractShare,
  floorOf,
  nextSeq,
  openCallSeq,
  ratioOf,
  removableOf,
  roomFor,
  tokensIn,
  weightOf,
  type WindowLimits,
} from "./cut.ts"
import { isMidTurn, newestAnswer } from "./decide.ts"
import type { Weighed } from "./historian/extract.ts"
import type { KnownHistory } from "./history/publish.ts"
import type { HistoryView } from "./render.ts"

/** What is left for history, as a share of what tools, facts and the newest input leave free. */
const aimShare = 0.25
/** What has to go of a request for a break to be worth it: less would be full again with the next output. */
export const worthShare = 0.25
/** What was published, and what a person asks for, leaves for less: but for so much of the request at least. */
export const sparedShareMin = 0.05
/** How full a window has to be for what is cold anyway to be condensed before it is sent. */
export const coldShare = 0.5
/** From here on the boundary may pass the newest input, which stays. */
const crossShare = 0.8

export interface CondenseQuestion {
  readonly view: HistoryView
  readonly encoded: Encoded
  readonly limits: WindowLimits
  readonly budgetTokens: number
  readonly usage: number
  readonly history: KnownHistory
  /** Whether more than what is published may leave: where that alone is too little, or in any case. */
  readonly extracts: "no" | "short" | "yes"
}

/** The new boundary and the inputs that stay wherever they stand; null where it stays as it is. */
export interface Condensed {
  readonly below: number
  readonly newest: readonly number[]
}

export function condense(question: CondenseQuestion): Condensed | null {
  const { view, history, extracts } = question
  const newest = newestInputs(view.messages)
  const waits = waitsFor(view, history)
  const published = waits ? Math.max(history.end + 1, view.frozen.from) : 0
  const more = extracts === "yes" || (extracts === "short" && !isWorth(question, newest, published))
  const below = Math.max(more ? worthwhile(question, newest) : 0, published)
  return below > view.frozen.from || waits ? { below, newest } : null
}

/** Whether a historian published what is still shown as it was, be it an input that an earlier cut kept. */
export const waitsFor = ({ messages }: HistoryView, { compartments, end }: KnownHistory): boolean =>
  messages.some(
    ({ seq }) => seq <= end && compartments.some(({ fromSeq, toSeq }) => seq >= fromSeq && seq <= toSeq),
  )

/** Where a boundary by size would stand; 0 where it is not worth a break. */
function worthwhile(question: CondenseQuestion, newest: readonly number[]): number {
  const { view, encoded, usage, limits, budgetTokens } = question
  const removable = removableOf(view, newest)
  const floor = tokensIn(floorOf(encoded.blocks, view))
  const free = ceilingTokens(limits) / ratioOf(limits) - floor
  const aim = { target: floor + free * aimShare, historyTokens: budgetTokens, guarded: true, usage }
  const room = roomFor({ view, limits }, aim, floor, removable)
  const chosen = suffix(removable, room.tail, nextSeq(view.messages))
  const [input] = newest
  const unseen = unseenFrom(view.messages)
  const held = Math.min(unseen, openCallSeq(view, limits, usage))
  const below = Math.min(chosen, held, usage < crossShare ? (input ?? chosen) : chosen)
  return isWorth(question, newest, below) ? below : 0
}

/** Whether enough leaves with this boundary. */
function isWorth({ view, encoded }: CondenseQuestion, newest: readonly number[], below: number): boolean {
  const gone = weightOf(removableOf(view, newest).filter(({ message: { seq } }) => seq < below))
  return gone * (1 - extractShare) >= worthShare * encoded.tokens
}

/** What the model asked for and has not read yet stays, or it would ask for it again. */
const unseenFrom = (messages: readonly Message[]): number =>
  isMidTurn(messages) ? (newestAnswer(messages)?.seq ?? Infinity) : Infinity

/** The sequence from which on messages have about so many tokens together: of two boundaries the nearer one. */
function suffix(removable: readonly Weighed[], tokensAimed: number, nothing: number): number {
  let tokens = 0
  let from = nothing
  for (const { message, tokens: own } of removable.toReversed()) {
    if (tokens + own - tokensAimed > tokensAimed - tokens) break
    tokens += own
    from = message.seq
  }
  return from
}

/** When a Delta has grown enough for all of the history to be stated anew, on a pass that breaks anyway (HB3). */
export function isOverfull(
  { baseline, delta }: { readonly baseline: number; readonly delta: number },
  budgetTokens: number,
): boolean {
  if (delta > budgetTokens * deltaShareOfBudget) return true
  return baseline >= baselineTokensMin && delta > baseline * deltaShareOfBaseline
}

const deltaShareOfBudget = 0.2
const deltaShareOfBaseline = 0.15
const baselineTokensMin = 500
