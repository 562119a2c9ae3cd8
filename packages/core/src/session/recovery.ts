/**
 * Recovery: what a crash left open, settled before anything else happens (DR4).
 *
 *   running call  → interrupted, "outcome unknown", with what its plan and the files tell of it;
 *                   it is never started again (DR5)
 *   waiting call  → interrupted before it started, unless somebody has to answer for it or for one that
 *                   holds it back (PE3)
 *   scratch text  → a part marked interrupted (TU3)
 *   open turn     → interrupted, with the reason for people to read; asking where such calls are left.
 *                   Its row counts what is on record (TU7)
 *
 * Pure: from what the store holds to the facts that settle it. The caller first makes sure that
 * no process of an open call is left, then commits under a fresh lease.
 */
import { partTokens } from "@holdfast/llm/size"
import type { Fact } from "@holdfast/schema/event"
import type { FileEffect } from "@holdfast/schema/fact/turn"
import type { CallId } from "@holdfast/schema/id"
import type { CallOutcome, RecordedPart } from "@holdfast/schema/message"
import { usageNone } from "@holdfast/schema/model"
import type { LedgerRow, Reason } from "@holdfast/schema/turn"
import type { ScratchPart } from "@holdfast/store/port"
import { openCalls, type SessionState, turnMessage } from "@holdfast/schema/state/state"
import { changesNothing } from "../tools/index.ts"
import { askingReason } from "./asking/ruling.ts"
import { type FileHashes, judgePlan, type JudgedPlan } from "./effects/judge-plan.ts"
import { dueCalls } from "./request/due-calls.ts"
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

/**
 * The row of a turn whose process was killed (TU7): what it used died with it. An answer of which
 * something is on record had been asked for once at least.
 */
const killedLedger = (answered: boolean, durationMs: number): LedgerRow => ({
  ...unsentLedger,
  accuracy: "incomplete",
  cost: null,
  attempts: answered ? [{ failure: crashReason, waitMs: 0, accuracy: "incomplete" }] : [],
  durationMs,
  atLeast: true,
})

export function planRecovery(
  state: SessionState,
  scratch: readonly ScratchPart[],
  toolOf: (name: string) => DeclaredTool | undefined,
  hashes: FileHashes = new Map(),
  lastedMs = 0,
): readonly Fact[] {
  const held = heldCalls(state, toolOf)
  return [
    ...settleScratch(state, scratch),
    ...settleCalls(state, held, toolOf, hashes),
    ...settleTurn(state, held.size > 0, killedLedger(hasAnswer(state, scratch), lastedMs)),
  ]
}

/** What a tool says of itself (DR5, TU2). */
interface DeclaredTool {
  readonly repeatable: boolean
  readonly readOnly?: boolean
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

/** Calls that had not started and wait for an answer, or behind one that does: they stay as they are (DR4, PE3). */
function heldCalls(
  state: SessionState,
  toolOf: (name: string) => DeclaredTool | undefined,
): ReadonlySet<CallId> {
  const asked = new Set(
    [...state.items.asks.values()].flatMap(({ raised: { subject } }) =>
      subject.kind === "call" ? [subject.call] : [],
    ),
  )
  const held = new Set<CallId>()
  let writing = false
  for (const { part } of openCalls(state)) {
    const readOnly = changesNothing(toolOf(part.name))
    const waits = asked.has(part.call) || (readOnly ? writing : held.size > 0)
    if (part.state === "running" || !waits) continue
    held.add(part.call)
    writing ||= !readOnly
  }
  return held
}

function settleCalls(
  state: SessionState,
  held: ReadonlySet<CallId>,
  toolOf: (name: string) => DeclaredTool | undefined,
  hashes: FileHashes,
): readonly Fact[] {
  const isRepeatable = (name: string) => toolOf(name)?.repeatable ?? false
  return openCalls(state)
    .filter(({ part }) => !held.has(part.call))
    .map(({ message, part }) => {
      const at = { turn: message.turn, message: message.id, call: part.call }
      if (part.state !== "running") return settledFact(at, outcomeOf(neverStarted))
      const plan = state.items.plans.get(part.call)
      if (plan === undefined) return settledFact(at, outcomeUnknown(isRepeatable(part.name)))
      const judged = judgePlan(plan, hashes)
      const told = tellPlan(judged, state.summary.location.directory)
      return settledFact(at, outcomeUnknown(isRepeatable(part.name), told), { effects: judged.changed })
    })
}

const outcomeUnknown = (repeatable: boolean, told = ""): CallOutcome => ({
  state: "interrupted",
  output: `Outcome unknown; ${repeatable ? "safe to repeat" : "check before repeating"}. The process that ran this call ended before the call did.${told}`,
  truncated: null,
  errorCode: "outcome_unknown",
})

/** What changed, by its files as they are now. */
function tellPlan({ changed, unchanged, unclear }: JudgedPlan, directory: string): string {
  const names = (effects: readonly FileEffect[]) =>
    effects
      .map(({ path, from }) => [...(from === undefined ? [] : [from]), path].map(shown).join(" to "))
      .join(", ")
  const shown = (path: string) => (path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path)
  const say = (what: string, effects: readonly FileEffect[]) =>
    effects.length === 0 ? "" : ` ${what}: ${names(effects)}.`
  return ` By the files as they are now:${say("changed", changed)}${say("not changed", unchanged)}${say("changed by others or in part, look at it", unclear)}`
}

/** Whether a provider has said anything in the last turn; calls that a prompt brings are nobody's answer. */
function hasAnswer(state: SessionState, scratch: readonly ScratchPart[]): boolean {
  const at = state.messages.findLastIndex(({ id }) => id === state.lastTurn?.started.message)
  const message = state.messages[at]
  if (message?.kind !== "assistant" || dueCalls(state.messages.slice(0, at)).length > 0) return false
  return message.parts.length > 0 || scratch.some(({ text }) => text !== "")
}

function settleTurn(state: SessionState, asks: boolean, ledger: LedgerRow): readonly Fact[] {
  const turn = state.lastTurn
  if (turn === null || turn.settled !== null) return []
  return [
    {
      type: "turn.settled",
      turn: turn.started.turn,
      status: asks ? "asking" : "interrupted",
      reason: asks ? askingReason : crashReason,
      ledger,
    },
  ]
}
