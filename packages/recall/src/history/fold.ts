/**
 * Where messages leave the window: the boundary, and what stands behind it for them (MK1).
 *
 * A Fold states all anew: what still concerns the window, the new boundary, and a History Baseline of every
 * compartment. A Refresh adds: the boundary, and a History Delta with the compartments that the Baseline does
 * not hold. The text and the boundary are one record, so that neither is ever without the other (HB6).
 */
import type { PassOp } from "@holdfast/schema/fact/recall"
import { type Frozen, frozenOf } from "@holdfast/schema/state/frozen"
import type { Weighed } from "../historian/extract.ts"
import type { HistoryView } from "../render.ts"
import { docsBudget, docsText } from "../docs.ts"
import { memoryBudget } from "../memory.ts"
import { addsMemory, foldSlots, headTokensMax, refreshSlots, showsKeyFiles } from "../slots.ts"
import { type KnownHistory, publish, type Published } from "./publish.ts"

export interface BoundaryMove {
  readonly view: HistoryView
  /** Messages below leave. */
  readonly below: number
  /** Sequences of inputs that stay, wherever they stand. */
  readonly kept: readonly number[]
  readonly gone: readonly Weighed[]
  readonly history: KnownHistory
}

export interface Folding extends BoundaryMove {
  /** The frozen state of the view, with what this pass already added to it. */
  readonly frozen: Frozen
  readonly added: readonly PassOp[]
  /** What compartments may take on a usual Fold, and on this one. */
  readonly budgetTokens: number
  readonly slotTokens: number
  readonly endsEpoch: boolean
  readonly blocked: boolean
}

export interface Moved {
  readonly frozen: Frozen
  readonly published: readonly Published[]
}

export function foldFrozen(folding: Folding): Moved {
  const { view, frozen, below, kept, gone, added, history, budgetTokens, endsEpoch, blocked } = folding
  const moves = gone.length > 0 || below > view.frozen.from
  const cut: readonly PassOp[] = moves
    ? [cutOf(folding)]
    : frozen.ops.filter(({ op }) => op === "cut").slice(-1)
  const shown = new Set<string>(
    view.messages.filter(({ seq }) => seq >= below || kept.includes(seq)).map(({ id }) => id),
  )
  const earlier = frozen.ops.filter((op) => shown.has(messageOf(op) ?? ""))
  const images: readonly PassOp[] =
    frozen.imagesBefore > 0 ? [{ op: "name-images", below: frozen.imagesBefore }] : []
  const { facts, compartments } = publish({
    ...publishing(folding),
    budgetTokens: budgetTokens - headTokensMax,
  })
  const slots = foldSlots({
    before: view.frozen.slots,
    gone: gone.map(({ message }) => message),
    stays: view.messages.filter(({ seq }) => seq >= below),
    boundary: below,
    endsEpoch,
    blocked,
    compartments,
    budgetTokens: folding.slotTokens,
    memoryTokens: memoryBudget(Math.min(budgetTokens, folding.slotTokens)),
    memory: history.memory ?? null,
    docs: docsText(history.docs ?? [], docsBudget(folding.slotTokens)),
    expandable: history.expandable,
  })
  return { frozen: frozenOf([...cut, ...images, ...earlier, ...added], slots), published: facts }
}

/** What a Refresh adds to the frozen state. */
export interface Refreshed extends Moved {
  readonly ops: readonly PassOp[]
}

export function refreshFrozen(move: BoundaryMove): Refreshed {
  const { view, below, gone } = move
  const { facts, compartments } = publish({ ...publishing(move), budgetTokens: null })
  const slots = refreshSlots({
    before: view.frozen.slots,
    gone: gone.map(({ message }) => message),
    boundary: below,
    compartments,
    memory: move.history.memory ?? null,
  })
  const ops = [cutOf(move)]
  return { frozen: frozenOf([...view.frozen.ops, ...ops], slots), published: facts, ops }
}

/** The boundary as it stands, and what is known of the project since; null where that says nothing new. */
export function refreshMemory(
  view: HistoryView,
  { compartments, memory = null }: KnownHistory,
): Refreshed | null {
  const { slots: before, from, ops, kept } = view.frozen
  const boundary = before?.boundary ?? from
  // What a historian wrote over an input that stays raw waits for a boundary that passes it (HB4).
  const told = compartments.filter(
    ({ fromSeq, toSeq }) => ![...kept].some((seq) => seq >= fromSeq && seq <= toSeq),
  )
  const slots = refreshSlots({ before, gone: [], boundary, compartments: told, memory })
  const says = before === null ? addsMemory(slots) || showsKeyFiles(slots) : slots.delta !== before.delta
  return says ? { frozen: frozenOf(ops, slots), published: [], ops: [] } : null
}

const keptBelow = ({ below, kept }: BoundaryMove): readonly number[] => kept.filter((seq) => seq < below)

const cutOf = (move: BoundaryMove): PassOp => ({
  op: "cut",
  below: move.below,
  kept: keptBelow(move),
  messages: move.view.frozen.messagesCut + move.gone.length,
})

const publishing = (move: BoundaryMove) => ({
  history: move.history,
  frozen: move.view.frozen,
  gone: move.gone,
  below: move.below,
  kept: keptBelow(move),
})

const messageOf = (op: PassOp): string | null =>
  op.op === "drop" ? op.unit.message : "message" in op ? op.message : null
