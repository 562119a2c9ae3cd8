/**
 * The cut: the tier of recall that needs no model (TU6).
 *
 * Over the ceiling, history is cut once and deep, to 30 % of the window, so that the prefix breaks
 * rarely. Everything but the newest input may go, system messages too: the Epoch ends with a cut,
 * so that a fresh Baseline says what they said (EP7); where that is blocked, the latest text of
 * each source stands in the History Delta (EP12). What goes stands in compartments, which take a part
 * of those 30 %. What cannot be made to fit is named.
 */
import type { Block } from "@holdfast/llm/wire"
import type { PassOp } from "@holdfast/schema/fact/recall"
import type { Message } from "@holdfast/schema/message"
import { type Frozen, frozenOf } from "@holdfast/schema/state/frozen"
import { newestInputs } from "@holdfast/schema/state/state"
import type { Weighed } from "./historian/extract.ts"
import { isMidTurn, thresholdOf } from "./decide.ts"
import { foldFrozen } from "./history/fold.ts"
import { openCallAt } from "./history/open-call.ts"
import type { KnownHistory, Published } from "./history/publish.ts"
import { historyBudget, protectedTail, workingWindow } from "./history/tail.ts"
import { imagesOf } from "./images.ts"
import { type HistoryView, outputCutText } from "./render.ts"
import { messageTokens } from "./size.ts"
import { headTokensMax, slotTokens } from "./slots.ts"

/** Shares of the window that are tried in turn; later ones only where the first does not suffice. */
export const cutShares = [0.3, 0.15, 0.05] as const

export interface WindowLimits {
  readonly contextTokens: number
  readonly outputTokens: number
  /** What the model reported for its last answered request, beside what we had estimated for it. */
  readonly answered: { readonly reported: number; readonly estimated: number } | null
  /** The execute threshold, as somebody set it. */
  readonly executeShare?: number | null
}

/** What a request may weigh: the window without what the answer needs. */
export const ceilingTokens = (limits: WindowLimits): number => limits.contextTokens - limits.outputTokens

/** The last request as reported, plus an estimate of what was added; a shorter one is scaled, and no larger than that. */
export function sizeTokens(estimated: number, { answered }: WindowLimits): number {
  if (answered === null) return estimated
  if (estimated >= answered.estimated) return answered.reported + estimated - answered.estimated
  return Math.min(answered.reported, Math.ceil(estimated * scale(answered)))
}

/** Never below 1: what is left after a cut may be denser than what was reported. */
const scale = (answered: { readonly reported: number; readonly estimated: number }): number =>
  Math.min(scaleMax, Math.max(1, answered.reported / answered.estimated))
const scaleMax = 2

/**
 * What the provider would count for a request, by what it counted for the last one: the measure of all that is shown to
 * people, tokens and prices (SU2). A gate asks `sizeTokens`, which never scales down.
 */
export const tokensAsCounted = (estimated: number, answered: WindowLimits["answered"]): number =>
  Math.round(estimated * countedRate(answered))

/** What it counts for a token of our estimate. */
export const countedRate = (answered: WindowLimits["answered"]): number =>
  answered === null ? 1 : answered.reported / answered.estimated

/** The share of the input limit that a request takes (PS5). */
export const usageShare = (tokensEstimated: number, limits: WindowLimits): number =>
  sizeTokens(tokensEstimated, limits) / Math.max(1, ceilingTokens(limits))

export const fits = (tokensEstimated: number, limits: WindowLimits): boolean =>
  sizeTokens(tokensEstimated, limits) <= ceilingTokens(limits)

export interface FloorItem {
  readonly name: string
  readonly tokens: number
}

export type CutPlan =
  | { readonly kind: "cut"; readonly frozen: Frozen; readonly published: readonly Published[] }
  | { readonly kind: "stuck"; readonly floor: readonly FloorItem[] }

export interface CutQuestion {
  readonly view: HistoryView
  /** Blocks of the request before the cut: what is outside the history is taken from them. */
  readonly blocks: readonly Block[]
  readonly limits: WindowLimits
  /** The request that a person wants shorter, in the tokens that we estimate; unless given, what fits is asked. */
  readonly wholeTokens?: number
  /** Whether the Epoch ends with it: then a shorter Baseline may be all that was needed. */
  readonly endsEpoch: boolean
  readonly history: KnownHistory
  /** What compartments may take on a usual Fold (DK1). */
  readonly budgetTokens: number
  /** Whether the protected tail is heeded: not where the provider, or a person, wants less than what fits. */
  readonly guarded: boolean
}

/** What compartments may take in a window, in the tokens that we estimate. */
export const budgetOf = (limits: WindowLimits): number =>
  Math.floor(historyBudget(ceilingTokens(limits), thresholdOf(limits.executeShare)) / ratioOf(limits))

export function planCut(question: CutQuestion, share: number): CutPlan {
  const { view, blocks, limits, endsEpoch } = question
  const newest = newestInputs(view.messages)
  const frozen = withImagesNamed(view, newest[0] ?? 0)
  const floor = floorOf(blocks, { messages: view.messages, frozen })
  const floorTokens = tokensIn(floor)
  if (floorTokens * ratioOf(limits) > ceilingTokens(limits)) return { kind: "stuck", floor }
  const removable = removableOf({ messages: view.messages, frozen }, newest)
  const aim = aimOf(question, share)
  const room = roomFor(question, aim, floorTokens, removable)
  const chosen = chooseCut(removable, frozen, room, nextSeq(view.messages))
  const held = aim.guarded ? openCallSeq(view, limits, aim.usage) : Infinity
  const found = held < chosen.keepFrom ? { keepFrom: held, skeletons: [] } : chosen
  // What a historian published is not told twice.
  const keepFrom = Math.max(found.keepFrom, question.history.end + 1)
  const gone = removable.filter(({ message }) => message.seq < keepFrom)
  const skeletons = keepFrom === found.keepFrom ? found.skeletons : []
  if (gone.length === 0 && skeletons.length === 0 && !endsEpoch) return { kind: "stuck", floor }
  const { history, budgetTokens } = question
  const folded = foldFrozen({
    view,
    frozen,
    below: keepFrom,
    kept: newest,
    gone,
    added: skeletons,
    history,
    budgetTokens,
    slotTokens: room.history,
    endsEpoch,
    blocked: !endsEpoch,
  })
  return { kind: "cut", ...folded }
}

/** Where it has to fit, history gives way as the tail does. A person wants the tail shorter: what is told of history decays as on any Fold (DK1). */
function aimOf({ view, limits, wholeTokens, budgetTokens, guarded }: CutQuestion, share: number): Aim {
  if (wholeTokens !== undefined) {
    const told = slotTokens(view.frozen.slots).baseline
    const target = told + (wholeTokens - told) * share
    return { target, historyTokens: budgetTokens, guarded, usage: 1 }
  }
  return {
    target: (limits.contextTokens / ratioOf(limits)) * share,
    historyTokens: budgetTokens * Math.min(1, share / cutShares[0]),
    guarded: guarded && share === cutShares[0],
    usage: 1,
  }
}

/** All that may leave, with what it weighs. */
export function removableOf(
  { messages, frozen }: HistoryView,
  newest: readonly number[],
): readonly Weighed[] {
  const stays = new Set(newest)
  return messages
    .filter(({ seq }) => !stays.has(seq))
    .map((message) => ({ message, tokens: messageTokens(message, frozen) }))
}

export const tokensIn = (floor: readonly FloorItem[]): number =>
  floor.reduce((tokens, item) => tokens + item.tokens, 0)

export const ratioOf = ({ answered }: WindowLimits): number => (answered === null ? 1 : scale(answered))

interface Room {
  /** For messages of the tail, oldest of them last. */
  readonly tail: number
  /** For the History Baseline. */
  readonly history: number
}

/** Of what a floor leaves free, at most so much is for compartments, and of the rest so much for a protected tail. */
const historyShareMax = 0.25
const protectedShareMax = 0.5
/** And so much for what the model has just asked for. */
export const unreadShareMax = 0.75

/** What is aimed at, in estimated tokens. */
interface Aim {
  readonly target: number
  readonly historyTokens: number
  /** Whether the protected tail stays however little that leaves to go. */
  readonly guarded: boolean
  /** The share of the input limit that is used. */
  readonly usage: number
}

/**
 * Compartments take their part of what is aimed at. Where the floor alone is about as large, the
 * tail that a first cut leaves is the protected one all the same (TA1), as far as half of the room goes.
 * What the model has just asked for and not read yet stays as far as it can: else it would ask again.
 */
export function roomFor(
  { view, limits }: Pick<CutQuestion, "view" | "limits">,
  { target, historyTokens, guarded, usage }: Aim,
  floor: number,
  removable: readonly Weighed[],
): Room {
  const all = weightOf(removable)
  const ceiling = ceilingTokens(limits) / ratioOf(limits)
  const budget = historyRoom(limits, historyTokens, floor)
  const wanted = headTokensMax + slotTokens(view.frozen.slots).baseline + all * extractShare
  const taken = Math.min(budget, wanted)
  const free = ceiling - floor - taken
  const working = workingWindow(ceiling, thresholdOf(limits.executeShare))
  const guard = Math.min(protectedTail(working, usage), free * protectedShareMax)
  const unread = Math.min(unreadTokens(removable), free * unreadShareMax)
  const tailMin = guarded ? Math.max(guard, unread) : 0
  const tail = Math.max(Math.min(target, ceiling) - floor - taken, tailMin)
  return { tail, history: Math.max(0, Math.floor(budget)) }
}

/** The sequence of an open call inside the protected tail as sized, which holds the boundary (TA1). */
export function openCallSeq({ messages }: HistoryView, limits: WindowLimits, usage: number): number {
  const working = workingWindow(ceilingTokens(limits) / ratioOf(limits), thresholdOf(limits.executeShare))
  const at = openCallAt(messages, protectedTail(working, usage))
  return at === null ? Infinity : (messages[at]?.seq ?? Infinity)
}

/** Of the newest message, where it is an answer whose calls have just ended. */
function unreadTokens(removable: readonly Weighed[]): number {
  const newest = removable.at(-1)
  return newest !== undefined && isMidTurn([newest.message]) ? newest.tokens : 0
}

/** What a History Baseline may take beside a floor. */
export const historyRoom = (limits: WindowLimits, budgetTokens: number, floor: number): number =>
  Math.min(budgetTokens, (ceilingTokens(limits) / ratioOf(limits) - floor) * historyShareMax)

/** About what compartments keep of what they stand for. */
export const extractShare = 0.12

interface Found {
  readonly keepFrom: number
  /** Calls of the oldest message that stays whose outputs go. */
  readonly skeletons: readonly PassOp[]
}

/** From the newest back, as much as there is room for. */
function chooseCut(
  removable: readonly Weighed[],
  frozen: Frozen,
  { tail }: Pick<Room, "tail">,
  nothing: number,
): Found {
  let tokens = 0
  let keepFrom = nothing
  for (const item of removable.toReversed()) {
    // What an earlier cut kept from below it goes: history never reaches back behind a cut.
    if (item.message.seq < frozen.from) break
    const first = item === removable.at(-1)
    const fitsWhole = tokens + item.tokens <= tail
    const bare = first && !fitsWhole ? withoutOutputs(item, frozen, tail) : null
    if (!fitsWhole && (bare === null || tokens + bare.tokens > tail)) break
    keepFrom = item.message.seq
    if (bare !== null) return { keepFrom, skeletons: bare.ops }
    tokens += item.tokens
  }
  return { keepFrom, skeletons: [] }
}

/** The prefix breaks anyway: images before the newest input are named, if any stand there. */
function withImagesNamed({ messages, frozen }: HistoryView, input: number): Frozen {
  const older = messages.some(
    (message) => message.seq >= frozen.imagesBefore && message.seq < input && imagesOf(message).length > 0,
  )
  return older ? frozenOf([...frozen.ops, { op: "name-images", below: input }], frozen.slots) : frozen
}

/** What of a request no cut takes out. */
export function floorOf(blocks: readonly Block[], { messages, frozen }: HistoryView): readonly FloorItem[] {
  const newest = newestInputs(messages)
  const input = messages.filter(({ seq }) => newest.includes(seq))
  const segment = (name: Block["segment"]) =>
    blocks.filter((block) => block.segment === name).reduce((tokens, block) => tokens + block.tokens, 0)
  return [
    { name: "tools", tokens: segment("tools") },
    { name: "Baseline", tokens: segment("system") },
    { name: "agent prompt", tokens: segment("agent") },
    { name: "History Delta", tokens: segment("history-delta") },
    { name: "newest input", tokens: input.reduce((sum, one) => sum + messageTokens(one, frozen), 0) },
  ].filter((item) => item.tokens > 0)
}

/** The largest outputs go, as many as it takes: of what the model asked for it reads what there is room for. */
function withoutOutputs(
  { message, tokens }: Weighed,
  frozen: Frozen,
  room: number,
): { readonly tokens: number; readonly ops: readonly PassOp[] } | null {
  if (message.kind !== "assistant") return null
  const outputs = message.parts.flatMap(({ part }) => {
    if (part.type !== "call" || frozen.skeletons.has(part.call)) return []
    if ((part.outcome?.output.length ?? 0) <= outputCutText.length) return []
    const op: PassOp = { op: "drop", unit: { message: message.id, call: part.call }, leaves: "skeleton" }
    return [{ op, freed: tokens - messageTokens(message, frozenOf([...frozen.ops, op], frozen.slots)) }]
  })
  if (outputs.length === 0) return null
  const ops: PassOp[] = []
  let left = tokens
  for (const { op, freed } of outputs.sort((a, b) => b.freed - a.freed)) {
    if (left <= room) break
    ops.push(op)
    left -= freed
  }
  return { tokens: left, ops }
}

export const weightOf = (weighed: readonly Weighed[]): number =>
  weighed.reduce((all, { tokens }) => all + tokens, 0)

export const nextSeq = (messages: readonly Message[]): number => (messages.at(-1)?.seq ?? 0) + 1
