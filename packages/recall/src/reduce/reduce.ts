/**
 * Reduce: what a pass that breaks the prefix anyway takes out of the tail (PS3, PS4).
 *
 *   queued drops      on every break; what is protected stays queued (TG1)
 *   strips            on every break (TG3)
 *   shortening        on every break, where it is asked for and the model cannot drop by itself (TG5)
 *   todo pair         on every break of a primary (ND2)
 *   heuristics        on an execute, a flush, a forced pass and a Fold; on an execute of a primary once
 *                     for each promoted input (MD2)
 *   emergency drop    from 85 % on (EG1)
 *
 * Pure: ops name units by message and call. What a drop leaves is decided here, once (TG2). A job is
 * shown as it is (MD1).
 */
import type { PassOp, SignalRaised } from "@holdfast/schema/fact/recall"
import type { Todo } from "@holdfast/schema/fact/todo"
import type { MessageId, SignalId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { unitKey } from "@holdfast/schema/state/frozen"
import type { HistoryView } from "../render.ts"
import { emergencyDrops, emergencyUsage } from "./emergency.ts"
import { heuristicDrops } from "./heuristics.ts"
import { planShortening } from "./shorten.ts"
import { planStrips } from "./strips.ts"
import { isOpenTodo } from "./todo-pair.ts"
import { isEnded, protectedFrom, refOf, type Unit, type UnitRef, unitsOf } from "./units.ts"

export interface ReduceQuestion {
  readonly view: HistoryView
  /** All that wait; those of another kind are left alone. */
  readonly signals: readonly SignalRaised[]
  /** Why the prefix breaks. */
  readonly cause: "execute" | "flush" | "forced" | "fold" | "refresh"
  readonly mode: "primary" | "child" | "job"
  /** Share of what may be sent, from 0 to 1. */
  readonly usage: number
  /** What a request may hold before a pass is executed. */
  readonly workingTokens: number
  /** Whether old answers are told in fewer words. */
  readonly shortens?: boolean
  /** Of the request as it would be sent now. */
  readonly inputTokens: number
  /** Sequence of the pass that executed last, 0 if none did. */
  readonly executedSeq?: number
  /** The newest list of steps. */
  readonly todos?: readonly Todo[]
}

export interface Reduction {
  readonly ops: readonly PassOp[]
  /** Signals of which nothing waits any more. */
  readonly consumes: readonly SignalId[]
}

export function reduce(question: ReduceQuestion): Reduction {
  const { view, signals, mode } = question
  if (mode === "job") return { ops: [], consumes: [] }
  const units = unitsOf(view.messages, view.frozen)
  const limit = protectedFrom(units)
  const free = units.filter((unit) => unit.tag < limit && !unit.dropped && isEnded(unit))
  const queued = queuedDrops(units, free, signals)
  const chosen = new Set<Unit>(queued.drops)
  if (runsHeuristics(question)) {
    const { executedSeq = 0, usage } = question
    const reclaimed = usage < emergencyUsage ? executedSeq : 0
    for (const unit of heuristicDrops(units, free, reclaimed)) chosen.add(unit)
  }
  if (question.usage >= emergencyUsage)
    for (const unit of emergencyDrops({ ...question, units, free, chosen })) chosen.add(unit)
  const drops = dropOps(view, units, chosen)
  const shorter = question.shortens === true && mode === "primary" ? planShortening(view) : []
  return {
    ops: [...drops, ...planStrips(view, units), ...shorter, ...todoOps(question)],
    consumes: queued.consumes,
  }
}

/** What a drop signal holds. */
export interface DropDetail {
  readonly units: readonly UnitRef[]
}

/** A unit that is not in the window any more waits for nothing. */
function queuedDrops(units: readonly Unit[], free: readonly Unit[], signals: readonly SignalRaised[]) {
  const standing = new Map(units.map((unit) => [unitKey(unit), unit]))
  const droppable = new Set(free)
  const drops: Unit[] = []
  const consumes: SignalId[] = []
  for (const { kind, signal, detail } of signals) {
    if (kind !== "drop") continue
    const asked = (detail as unknown as Partial<DropDetail>).units ?? []
    const waiting = asked.flatMap((unit) => standing.get(unitKey(unit)) ?? []).filter((unit) => !unit.dropped)
    drops.push(...waiting.filter((unit) => droppable.has(unit)))
    if (waiting.every((unit) => droppable.has(unit))) consumes.push(signal)
  }
  return { drops, consumes }
}

function runsHeuristics({ view, cause, mode, executedSeq = 0 }: ReduceQuestion): boolean {
  if (cause === "refresh") return false
  if (cause !== "execute" || mode === "child") return true
  return (view.messages.findLast(({ kind }) => kind === "user")?.seq ?? 0) > executedSeq
}

/** A call among the newest so many dropped ones keeps a skeleton. */
const skeletonsMax = 20

function dropOps(view: HistoryView, units: readonly Unit[], chosen: ReadonlySet<Unit>): readonly PassOp[] {
  const dropped = units.filter((unit) => unit.part !== null && (unit.dropped || chosen.has(unit)))
  const skeletons = new Set(dropped.slice(-skeletonsMax))
  const hosted = new Set(view.messages.filter(isHosted).map(({ id }) => id as string))
  const owners = new Set([...chosen].filter(({ image }) => image === undefined).map(unitKey))
  return units
    .filter(
      (unit) => chosen.has(unit) && !(unit.image !== undefined && owners.has(unit.call ?? unit.message)),
    )
    .map((unit) => ({
      op: "drop",
      unit: refOf(unit),
      leaves:
        skeletons.has(unit) || (unit.part !== null && hosted.has(unit.message)) ? "skeleton" : "nothing",
    }))
}

/** What a hosted tool did is never taken apart, so that calls beside it stay as skeletons (LL8). */
const isHosted = (message: Message): boolean =>
  message.kind === "assistant" && message.parts.some(({ part }) => part.type === "hosted")

/** Where a step is open, in the newest answer that says something; where none is, an earlier pair goes. */
function todoOps({ view, mode, todos = [] }: ReduceQuestion): readonly PassOp[] {
  const { messages, frozen } = view
  if (mode !== "primary") return []
  if (!todos.some(isOpenTodo))
    return frozen.todo === null
      ? []
      : [{ op: "anchor-todo", message: frozen.todo.message as MessageId, todo: [] }]
  const answer = messages.findLast(isAnswer)
  const list = todos.map(({ content, status }) => ({ content, status }))
  const same =
    answer?.id === frozen.todo?.message && JSON.stringify(list) === JSON.stringify(frozen.todo?.list)
  return answer === undefined || same ? [] : [{ op: "anchor-todo", message: answer.id, todo: list }]
}

const isAnswer = (message: Message): boolean =>
  message.kind === "assistant" &&
  message.quarantined === undefined &&
  message.parts.some(({ part }) => part.type === "call" || (part.type === "text" && part.text.trim() !== ""))
