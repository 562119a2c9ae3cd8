/** What a prompt waits for that a Session cannot take at once. */
import type { AdmittedPrompt, PromptReceipt } from "@holdfast/sdk"
import type { SessionStatus } from "@holdfast/schema/session"
import { count } from "../figures.ts"

/**
 * `before` is the Session as it was when the prompt was sent, `inbox` what waits since: null where the
 * prompt need not wait, or waits no more.
 */
export function waitingNote(
  before: SessionStatus,
  inbox: readonly AdmittedPrompt[],
  { prompt, delivery }: PromptReceipt,
): string | null {
  const own = inbox.find(({ id }) => id === prompt)
  const busy = waitingCause(before, delivery)
  if (own === undefined || busy === null) return null
  const ahead = inbox.filter((other) => other.admittedSeq < own.admittedSeq).length
  const others = ahead === 0 ? "" : `, after ${count(ahead, "prompt")} that came before`
  if (delivery === "steer") return `${busy}: this prompt is taken up at its next turn.`
  return `${busy}: this prompt waits in the queue until it is idle${others}.`
}

/** The record of a process that ended in the middle of a turn. */
const crashCode = "process_ended"

/** Why a Session in this state does not take a prompt at once; null if it does. */
export function waitingCause(
  { state, owing, reason }: SessionStatus,
  delivery: PromptReceipt["delivery"],
): string | null {
  if (state === "running") return "The Session is at work"
  if (state === "waiting") return "The Session waits to try again"
  if (state === "asking") return "The Session waits for an answer"
  const resumed = state === "failed" || (state === "interrupted" && reason?.code === crashCode)
  return delivery === "queue" && owing && resumed ? "The Session first finishes what it owes" : null
}
