/**
 * Recovery: what a crash left open, settled before anything else happens (DR4).
 *
 *   running call  → interrupted, "outcome unknown"; it is never started again (DR5)
 *   waiting call  → interrupted before it started, unless somebody has to answer for it (PE3)
 *   scratch text  → a part marked interrupted (TU3)
 *   open turn     → interrupted, with the reason for people to read
 *
 * Pure: from what the store holds to the facts that settle it. The caller first makes sure that
 * no process of an open call is left, then commits under a fresh lease.
 */
import type { Fact } from "@holdfast/schema/event"
import type { CallOutcome, RecordedPart } from "@holdfast/schema/message"
import { usageNone } from "@holdfast/schema/model"
import type { LedgerRow, Reason } from "@holdfast/schema/turn"
import type { ScratchPart } from "@holdfast/store/port"
import { openCalls, type SessionState, turnMessage } from "@holdfast/schema/state/state"
import { partTokens } from "./request/tokens.ts"
import { neverStarted, outcomeOf, settledFact } from "./settlement.ts"

export const crashReason: Reason = {
  code: "process_ended",
  message: "The process that ran this turn ended before the turn did. Resume to carry on.",
}

/** The row of a turn that sent nothing; what its boundary knew stands in `turn.started`. */
export const unsentLedger: LedgerRow = {
  usage: usageNone,
  cost: 0,
  attempts: [],
  durationMs: 0,
  finish: null,
}

/** The row of a turn whose process was killed: what it used died with it. */
const unknownLedger: LedgerRow = { ...unsentLedger, accuracy: "incomplete", cost: null }

export function planRecovery(
  state: SessionState,
  scratch: readonly ScratchPart[],
  isRepeatable: (tool: string) => boolean,
): readonly Fact[] {
  return [...settleScratch(state, scratch), ...settleCalls(state, isRepeatable), ...settleTurn(state)]
}

function settleScratch(state: SessionState, scratch: readonly ScratchPart[]): readonly Fact[] {
  const turn = state.lastTurn
  if (turn === null || turn.settled !== null) return []
  const { turn: id, message } = turn.started
  const recorded = new Set(turnMessage(state, message)?.parts.map(({ index }) => index) ?? [])
  return scratch
    .filter((part) => !recorded.has(part.index) && part.text !== "")
    .map(({ index, type, text }): Fact => {
      const part = cutPart(type, text)
      return { type: "part.recorded", turn: id, message, index, part, tokens: partTokens(part) }
    })
}

/** Text that broke off, as far as it is known (TU3). */
export const cutPart = (type: "text" | "reasoning", text: string): RecordedPart =>
  type === "text" ? { type, text, interrupted: true } : { type, text, native: null, interrupted: true }

/** Calls that had not started and wait for an answer stay as they are (DR4, PE3). */
function settleCalls(state: SessionState, isRepeatable: (tool: string) => boolean): readonly Fact[] {
  const asked = new Set(
    [...state.items.asks.values()].flatMap(({ raised: { subject } }) =>
      subject.kind === "call" ? [subject.call] : [],
    ),
  )
  return openCalls(state)
    .filter(({ part }) => part.state === "running" || !asked.has(part.call))
    .map(({ message, part }) =>
      settledFact(
        { turn: message.turn, message: message.id, call: part.call },
        part.state === "running" ? outcomeUnknown(isRepeatable(part.name)) : outcomeOf(neverStarted),
      ),
    )
}

const outcomeUnknown = (repeatable: boolean): CallOutcome => ({
  state: "interrupted",
  output: `Outcome unknown; ${repeatable ? "safe to repeat" : "check before repeating"}. The process that ran this call ended before the call did.`,
  truncated: null,
  errorCode: "outcome_unknown",
})

function settleTurn(state: SessionState): readonly Fact[] {
  const turn = state.lastTurn
  if (turn === null || turn.settled !== null) return []
  return [
    {
      type: "turn.settled",
      turn: turn.started.turn,
      status: "interrupted",
      reason: crashReason,
      ledger: unknownLedger,
    },
  ]
}
