/**
 * Frozen state: what of a history is not rendered as it was said, the fold of `pass.applied`.
 *
 * A Fold states all of it anew, a Refresh adds to it (PS3), so the newest Fold and what follows it
 * are enough. The same object stands as long as no pass changes it: renderers keep what they made
 * for it by identity. Nothing here needs effect.
 */
import type { FactOf } from "../event.ts"
import type { PassOp, Slots } from "../fact/recall.ts"
import type { Json } from "../json.ts"
import type { Message } from "../message.ts"

export interface Frozen {
  readonly ops: readonly PassOp[]
  /** Messages below this sequence are not rendered, those kept excepted. */
  readonly from: number
  readonly kept: ReadonlySet<number>
  /** How many messages ever left this way. */
  readonly messagesCut: number
  /** Calls of which only a skeleton is left, and units of which nothing is; by their keys. */
  readonly skeletons: ReadonlySet<string>
  readonly gone: ReadonlySet<string>
  /** What was stripped of messages, by their ids. */
  readonly strips: ReadonlyMap<string, ReadonlySet<StripKind>>
  /** How deep the texts of messages are shortened, by their ids. */
  readonly depths: ReadonlyMap<string, number>
  /** The list of steps as a pass put it before the model again, and in which answer. */
  readonly todo: { readonly message: string; readonly list: Json } | null
  /** Images of messages below this sequence are named, not shown. */
  readonly imagesBefore: number
  readonly slots: Slots | null
}

export type StripKind = Extract<PassOp, { readonly op: "strip" }>["what"]

export const emptyFrozen: Frozen = {
  ops: [],
  from: 0,
  kept: new Set(),
  messagesCut: 0,
  skeletons: new Set(),
  gone: new Set(),
  strips: new Map(),
  depths: new Map(),
  todo: null,
  imagesBefore: 0,
  slots: null,
}

/** A pass that changes nothing of what is rendered leaves the very object. */
export function applyPass(frozen: Frozen, pass: FactOf<"pass.applied">): Frozen {
  const ops = pass.pass === "fold" ? pass.ops : [...frozen.ops, ...pass.ops]
  const slots = pass.slots ?? (pass.pass === "fold" ? null : frozen.slots)
  if (slots === frozen.slots && JSON.stringify(ops) === JSON.stringify(frozen.ops)) return frozen
  return frozenOf(ops, slots)
}

export function frozenOf(ops: readonly PassOp[], slots: Slots | null): Frozen {
  const drops = ops.filter((op) => op.op === "drop")
  const cut = ops.findLast((op) => op.op === "cut")
  const todo = ops.findLast((op) => op.op === "anchor-todo")
  const left = (leaves: "nothing" | "skeleton"): ReadonlySet<string> =>
    new Set(drops.filter((op) => op.leaves === leaves).map(({ unit }) => unitKey(unit)))
  return {
    ops,
    from: cut?.below ?? 0,
    kept: new Set(cut?.kept),
    messagesCut: cut?.messages ?? 0,
    skeletons: left("skeleton"),
    gone: left("nothing"),
    strips: stripsOf(ops),
    depths: depthsOf(ops),
    todo: todo === undefined || isEmpty(todo.todo) ? null : { message: todo.message, list: todo.todo },
    imagesBefore: Math.max(0, ...ops.map((op) => (op.op === "name-images" ? op.below : 0))),
    slots,
  }
}

/** What a unit is known by: the id of a message or a call, and the number of an image behind it. */
export const unitKey = ({ message, call, image }: Extract<PassOp, { readonly op: "drop" }>["unit"]): string =>
  image === undefined ? (call ?? message) : `${call ?? message}/${image}`

const isEmpty = (list: Json): boolean => Array.isArray(list) && list.length === 0

function stripsOf(ops: readonly PassOp[]): Frozen["strips"] {
  const strips = new Map<string, Set<StripKind>>()
  for (const op of ops) {
    if (op.op !== "strip") continue
    const known = strips.get(op.message)
    if (known === undefined) strips.set(op.message, new Set([op.what]))
    else known.add(op.what)
  }
  return strips
}

/** Never back. */
function depthsOf(ops: readonly PassOp[]): Frozen["depths"] {
  const depths = new Map<string, number>()
  for (const op of ops)
    if (op.op === "shorten") depths.set(op.message, Math.max(op.depth, depths.get(op.message) ?? 0))
  return depths
}

/**
 * What is in the window: the one place that says so. System messages of an earlier Epoch are audit
 * history (EP7); the store's query takes its lower bound from the same two values.
 */
export function inWindow(message: Message, frozen: Frozen, epochSeq: number): boolean {
  if (message.kind === "system" && message.seq <= epochSeq) return false
  return isShown(message.seq, frozen)
}

/** Whether what stands at a sequence is behind the lower bound, or kept from below it. */
export const isShown = (seq: number, { from, kept }: Pick<Frozen, "from" | "kept">): boolean =>
  seq >= from || kept.has(seq)
