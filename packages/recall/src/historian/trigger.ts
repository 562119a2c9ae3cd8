/**
 * When a historian runs, and on what (HI2): decided after a turn from the messages in memory alone.
 *
 *   historyEnd ──▶ head, which may be summarised ──▶ protected tail (TA1)
 *
 * It fires by force near the ceiling, by three clusters of commits, by a head that has grown long, or by
 * pressure. The range is what the historian gets (HI6): the head, as far as a chunk of it goes and enough follows it (HI3).
 */
import type { Message } from "@holdfast/schema/message"
import { openCallAt, tailStart } from "../history/open-call.ts"
import { protectedTail, workingWindow } from "../history/tail.ts"
import { shownOf } from "./chunk.ts"
import { followingMax } from "./validate.ts"

export interface TriggerView {
  /** Session History as the window holds it. */
  readonly messages: readonly Message[]
  /** End of what compartments cover. */
  readonly historyEnd: number
  /** The context limit less the reserved output. */
  readonly inputTokensMax: number
  /** Of the last request and its answer. */
  readonly usedTokens: number
}

export interface Triggered {
  readonly reason: "force" | "commits" | "length" | "pressure"
  readonly fromSeq: number
  readonly toSeq: number
  /** Messages of the range, in order. */
  readonly messages: readonly Message[]
  readonly emergency: boolean
}

const triggerShare = 0.05
const forceUsage = 0.8
const emergencyUsage = 0.95
/** Well before the window is reduced (PS5), so that what the historian writes is there by then. */
const pressureUsage = 0.63
const commitClusters = 3
const lengthBudgets = 3
const headTokensMin = 256
const meaningfulTokens = 6_000
const meaningfulMessages = 12

export const triggerBudget = (inputTokensMax: number): number =>
  clamp(Math.round(workingWindow(inputTokensMax) * triggerShare), 5_000, 50_000)

/** What one run of a historian reads at most, by the window of its model. */
export const chunkTokensMax = (contextTokens: number): number =>
  clamp(Math.floor(contextTokens * 0.25), 8_000, 50_000)

export function trigger(view: TriggerView): Triggered | null {
  if (view.inputTokensMax <= 0) return null
  const usage = view.usedTokens / view.inputTokensMax
  const budget = triggerBudget(view.inputTokensMax)
  const fresh = view.messages.filter(({ seq }) => seq > view.historyEnd)
  const all = readTokens(fresh)
  // Cheap and usual: there is little, and no pressure.
  if (usage < pressureUsage && all < budget) return null
  const found = headOf(fresh, view, usage)
  const head = usage >= emergencyUsage ? found : followed(fresh, found)
  const [first, last] = [head[0], head.at(-1)]
  if (first === undefined || last === undefined) return null
  const tokens = readTokens(head)
  if (tokens <= headTokensMin) return null
  const reason = reasonFor(head, tokens, usage, budget)
  if (reason === null) return null
  const emergency = usage >= emergencyUsage
  // Whatever else lies between is covered with it.
  const next = fresh[head.length]
  const toSeq = next === undefined ? last.seq : next.seq - 1
  return { reason, fromSeq: view.historyEnd + 1, toSeq, messages: head, emergency }
}

function reasonFor(head: readonly Message[], tokens: number, usage: number, budget: number) {
  if (usage >= forceUsage) return "force"
  if (tokens >= budget && clustersIn(head) >= commitClusters) return "commits"
  if (tokens >= lengthBudgets * budget) return "length"
  const meaningful = tokens >= meaningfulTokens || head.length >= meaningfulMessages
  return usage >= pressureUsage && meaningful ? "pressure" : null
}

/** What stands before the protected tail, and before a call inside it that has not settled (TA1). */
function headOf(
  fresh: readonly Message[],
  { inputTokensMax }: TriggerView,
  usage: number,
): readonly Message[] {
  const scales = usage >= emergencyUsage ? [1, 0.5, 0.25] : usage >= forceUsage ? [1, 0.5] : [1]
  const protectedTokens = protectedTail(workingWindow(inputTokensMax), usage)
  const settled = openCallAt(fresh, protectedTokens) ?? fresh.length
  const newest = fresh.findLastIndex(({ kind }) => kind === "user")
  // Below the force, all since the user spoke last stays as it is.
  const most = usage < forceUsage && newest !== -1 ? Math.min(settled, newest) : settled
  for (const scale of scales) {
    const end = Math.min(most, tailStart(fresh, protectedTokens * scale))
    if (end > 0) return fresh.slice(0, end)
  }
  return []
}

/** A last part that too little follows is not stored (HI3): a run is given what enough follows, so that none is written in vain. */
function followed(fresh: readonly Message[], head: readonly Message[]): readonly Message[] {
  const shown = fresh.flatMap((message, at) => (shownOf(message) === null ? [] : [at]))
  const end = shown.at(-1 - followingMax) ?? 0
  return end > 0 && end < head.length ? head.slice(0, end) : head
}

const readTokens = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + (shownOf(message)?.tokens ?? 0), 0)

/** Answers that name a commit, behind something that is none. */
function clustersIn(messages: readonly Message[]): number {
  let clusters = 0
  let inside = false
  for (const message of messages) {
    const shown = shownOf(message)
    if (shown === null) continue
    const commits = shown.speaker === "A" && shown.commits.length > 0
    if (commits && !inside) clusters += 1
    inside = commits || (inside && shown.speaker === "A")
  }
  return clusters
}

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))
