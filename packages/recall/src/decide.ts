/**
 * The execute decision: whether a pass that could repeat the last request does its waiting work instead (PS5).
 *
 *   request ≥ 85 % of the input limit      ──▶ execute, in the middle of a turn too
 *   the provider's cache has expired       ──▶ execute: nothing is lost by a break (HB3)
 *   request ≥ threshold, or put off before ──▶ execute, but not while the model waits for its calls:
 *                                              that is put off, stored, and done once (PS8)
 *
 * A pure table of a few values. Shares are those of the input limit: the context limit less the
 * reserved output.
 */
import type { SignalRaised } from "@holdfast/schema/fact/recall"
import type { AssistantMessage, Message } from "@holdfast/schema/message"
import type { RequestRecord } from "@holdfast/schema/turn"

/** Of a Session: with a person, of a call of another one, or hidden work of the runtime (MD1). */
export type Mode = "primary" | "child" | "job"

export interface ExecuteQuestion {
  /** The request as it would be sent, as a share of the input limit. */
  readonly usage: number
  readonly threshold: number
  /** Since the last request began; null if there was none. */
  readonly idleMs: number | null
  /** The longest of what the last request's markers asked for. */
  readonly lifetimeMs: number
  /** The newest assistant message ended in calls of our own tools. */
  readonly midTurn: boolean
  /** Something was said, or published, since the pass that executed last. */
  readonly fresh: boolean
  /** Kinds of the signals that wait. */
  readonly signals: ReadonlySet<SignalRaised["kind"]>
  readonly mode: Mode
}

export type Decision =
  | { readonly kind: "hold" }
  | { readonly kind: "put-off" }
  | { readonly kind: "execute"; readonly reason: "threshold" | "forced" | "idle" | "deferred" }

/** At this share nothing is put off any more. */
export const forcedShare = 0.85
/** From here on a turn may wait for a historian that is at work (EG1). */
export const waitShare = 0.95

export const executeShareDefault = 0.75
export const executeShareMax = 0.8
export const executeShareMin = 0.2

/** The threshold in force; null or undefined where nobody set one. */
export const thresholdOf = (asked: number | null | undefined): number =>
  Math.min(executeShareMax, Math.max(executeShareMin, asked ?? executeShareDefault))

export function decide(question: ExecuteQuestion): Decision {
  const { usage, threshold, midTurn, fresh, signals, mode } = question
  if (mode === "job") return { kind: "hold" }
  if (usage >= forcedShare && fresh && mode === "primary") return { kind: "execute", reason: "forced" }
  if (isCold(question)) return { kind: "execute", reason: "idle" }
  const due = usage >= threshold
  const waits = signals.has("execute")
  // What an execute left is all that it could do: without anything new, another would only break the prefix again.
  if (!fresh || (!due && !waits)) return { kind: "hold" }
  const asked = signals.has("flush") || signals.has("fold")
  if (midTurn && mode === "primary" && !asked) return { kind: "put-off" }
  return { kind: "execute", reason: due ? "threshold" : "deferred" }
}

/** Nothing of the last request can be in the cache any more. */
const isCold = ({ idleMs, lifetimeMs }: Pick<ExecuteQuestion, "idleMs" | "lifetimeMs">): boolean =>
  idleMs !== null && idleMs > lifetimeMs

/** Whether the model waits for the outcome of its calls, or has just got it. */
export const isMidTurn = (messages: readonly Message[]): boolean =>
  newestAnswer(messages)?.parts.some(({ part }) => part.type === "call") === true

/** An answer of which nothing came is none. */
export function newestAnswer(messages: readonly Message[]): AssistantMessage | null {
  const newest = messages.findLast((message) => message.kind === "assistant" && message.parts.length > 0)
  return newest?.kind === "assistant" ? newest : null
}

/** Whether anything stands there that came behind a sequence; a turn of which nothing came is nothing. */
export const isFresh = (messages: readonly Message[], executedSeq: number): boolean =>
  messages.some(
    ({ seq, ...message }) => seq > executedSeq && (message.kind !== "assistant" || message.parts.length > 0),
  )

/** How long what was sent lives, at most: as its markers say, or as what nobody asked a life for. */
export const longestLifetimeMs = (markers: RequestRecord["markers"]): number => {
  const asked = Math.max(0, ...markers.map(({ lifetime }) => millisecondsOf(lifetime)))
  return asked === 0 ? unmarkedLifetimeMs : Math.max(lifetimeMsMin, asked)
}

/** documented: caches that nobody marks are gone after an hour at the latest, unless more is asked for. */
export const unmarkedLifetimeMs = 60 * 60_000
const lifetimeMsMin = 5 * 60_000
const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000 }

function millisecondsOf(lifetime: string): number {
  const [, count, unit] = /^(\d+)([mh])$/.exec(lifetime) ?? []
  return Number(count ?? 0) * (unitMs[unit ?? ""] ?? 0)
}
