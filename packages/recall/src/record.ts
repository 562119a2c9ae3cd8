/** The record of a pass: what it states, why, and which signals end with it (PS7). */
import { paramsHash } from "@holdfast/llm/blocks"
import { conversationOf } from "@holdfast/llm/request/cache-key"
import type { Encoded } from "@holdfast/llm/wire"
import type { FactOf } from "@holdfast/schema/event"
import type { PassOp, SignalRaised } from "@holdfast/schema/fact/recall"
import type { SignalId } from "@holdfast/schema/id"
import { type Frozen, frozenOf, inWindow } from "@holdfast/schema/state/frozen"
import { type BreakCauses, breakReason, describeBreak } from "./break.ts"
import { ceilingTokens, fits, sizeTokens, usageShare } from "./cut.ts"
import { forcedShare, thresholdOf } from "./decide.ts"
import { endMoves } from "./history/move.ts"
import type { Published } from "./history/publish.ts"
import { workingWindow } from "./history/tail.ts"
import type { Candidate, Pass, PassQuestion } from "./question.ts"
import { reduce, type Reduction } from "./reduce/reduce.ts"
import type { HistoryView } from "./render.ts"
import { callConversation, settleUpdates, slotsConversation } from "./slots.ts"

/** A pass that breaks the prefix, before what rides on it is added. */
export interface Breaking {
  readonly pass: "refresh" | "fold"
  readonly candidate: Candidate
  readonly frozen: Frozen
  /** What a Refresh adds; a Fold states all that is frozen. */
  readonly added: Pick<Frozen, "ops" | "slots">
  readonly causes: (encoded: Encoded) => BreakCauses
  readonly cause: Parameters<typeof reduce>[0]["cause"]
  /** The reason on record where the bytes do not change. */
  readonly reason?: string
  readonly tokensBefore: number
  readonly endsEpoch: boolean
  readonly learned?: number | null
  readonly published?: readonly Published[]
}

export type BrokenPass = Exclude<Pass, { readonly kind: "stuck" }> & {
  readonly applied: FactOf<"pass.applied">
}

/** What waits rides on it (PS4). */
export function broken(question: PassQuestion, breaking: Breaking): BrokenPass {
  const { pass, candidate, added, tokensBefore, endsEpoch, learned = null } = breaking
  const moved = called(question, breaking.frozen)
  const shown = frozenView(candidate.view, moved)
  const whole = candidate.encode(shown)
  const { ops: wanted, consumes } = reduction(question, breaking, shown, whole)
  const frozenWith = (some: readonly PassOp[]) =>
    some.length === 0 ? moved : frozenOf([...moved.ops, ...some], moved.slots)
  const encode = (some: Frozen) =>
    some === moved ? whole : candidate.encode(frozenView(candidate.view, some))
  const limits = learned === null ? question.limits : { ...question.limits, contextTokens: learned }
  const rest = wanted.filter(({ op }) => op !== "anchor-todo")
  // The list of steps is all that a reduction adds: where it leaves no room, it waits for another break.
  const full = () => !fits(encode(frozenWith(wanted)).tokens, limits)
  // It rides on a break and makes none (ND2).
  const holds = () => {
    const without = encode(frozenWith(rest))
    return describeBreak(question.previous, without.blocks, breaking.causes(without)) === null
  }
  const waits = rest.length < wanted.length && ((pass === "refresh" && holds()) || full())
  const ops = waits ? rest : wanted
  const frozen = frozenWith(ops)
  const encoded = encode(frozen)
  const causes = breaking.causes(encoded)
  const found = describeBreak(question.previous, encoded.blocks, causes)
  const moves = endMoves(question.signals, question.history, question.asIs.view.frozen.from, frozen.from)
  const stated = pass === "fold" ? frozen : { ops: [...added.ops, ...ops], slots: added.slots && moved.slots }
  const applied: FactOf<"pass.applied"> = {
    type: "pass.applied",
    pass,
    reason: breaking.reason ?? found?.reason ?? breakReason(causes),
    ops: stated.ops,
    slots: stated.slots,
    consumes: [...new Set([...ended(question.signals), ...moves.map(({ signal }) => signal), ...consumes])],
    ...(moves.length > 0 && { moves }),
    tokensBefore,
    tokensAfter: encoded.tokens,
  }
  const records = [...(breaking.published ?? []), applied]
  return { kind: pass, encoded, frozen, endsEpoch, learned, break: found, applied, records, waits: false }
}

/** The first slots of a Session keep what its conversation was called until then. */
function called({ asIs }: PassQuestion, frozen: Frozen): Frozen {
  const { slots } = frozen
  if (slots === null || slots === asIs.view.frozen.slots || slotsConversation(slots) !== null) return frozen
  const conversation = conversationOf(asIs.encode(asIs.view).blocks)
  return frozenOf(frozen.ops, callConversation(slots, conversation))
}

/** Not while a historian is at work on what it would change, unless the pass is forced or a Fold. */
function reduction(
  { signals, mode, limits, historian, executedSeq, todos, shortens = false }: PassQuestion,
  { cause, pass }: Breaking,
  view: HistoryView,
  { tokens }: Encoded,
): Reduction {
  const usage = usageShare(tokens, limits)
  if (historian.running && pass !== "fold" && cause !== "forced" && usage < forcedShare) return nothing
  const workingTokens = workingWindow(ceilingTokens(limits), thresholdOf(limits.executeShare))
  const inputTokens = sizeTokens(tokens, limits)
  const size = { usage, workingTokens, inputTokens }
  return reduce({ view, signals, cause, mode, ...size, shortens, executedSeq, todos })
}

const nothing: Reduction = { ops: [], consumes: [] }

/** A pass that breaks the prefix does what these ask for; drops and memories end with what does them. */
const ended = (signals: readonly SignalRaised[]): readonly SignalId[] =>
  signals.flatMap(({ kind, signal }) => (endedKinds.has(kind) ? [signal] : []))

const endedKinds: ReadonlySet<SignalRaised["kind"]> = new Set(["execute", "flush", "fold"])

/** A view under other frozen state. */
export const frozenView = ({ messages }: HistoryView, frozen: Frozen): HistoryView => ({
  messages: messages.filter((message) => inWindow(message, frozen, 0)),
  frozen,
})

/** Images over the bound are named, and under a fresh Baseline nothing of an earlier one is owed. */
export function prepared(
  candidate: Candidate,
  named: readonly PassOp[],
  fresh: boolean,
  { history }: Pick<PassQuestion, "history">,
): Candidate {
  const { frozen } = candidate.view
  const slots = fresh ? settleUpdates(frozen.slots, history.compartments) : frozen.slots
  if (named.length === 0 && slots === frozen.slots) return candidate
  return { ...candidate, view: frozenView(candidate.view, frozenOf([...frozen.ops, ...named], slots)) }
}

export function compactedWith(question: PassQuestion, named: readonly PassOp[]): Candidate | null {
  const compacted = question.compacted()
  return compacted === null ? null : prepared(compacted, named, true, question)
}

/** Why a pass does something by itself: what it takes out, or what it does beside that. */
export interface OwnCause {
  readonly cut?: string | null
  readonly work?: string | null
}

export const breakCauses = (
  { causes }: PassQuestion,
  encoded: Encoded,
  { cut = null, work = null }: OwnCause = {},
): BreakCauses => ({
  ...causes,
  paramsChanged: causes.previousParams !== null && causes.previousParams !== paramsHash(encoded.params),
  cut,
  work,
})
