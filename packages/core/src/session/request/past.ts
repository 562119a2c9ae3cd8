/**
 * The past as a turn saw it: a record taken out since then was still in its request (LL7).
 *
 * A turn names the sequence up to which its plan had seen the log. What others wrote above it is
 * folded in after the turn, whatever the order in which the log holds the two.
 */
import type { Message } from "@holdfast/schema/message"
import { makeFinder } from "@holdfast/schema/state/found-messages"
import type { SessionState } from "@holdfast/schema/state/state"

const takenOut = makeFinder((message) => message.kind !== "system" && message.quarantined !== undefined)

const takenSince = (message: Message, seenSeq: number): boolean =>
  message.kind !== "system" && (message.quarantined ?? 0) > seenSeq

/** Whether a message was taken out since the newest turn was planned. */
export function isQuarantinedSince({ messages, lastTurn }: SessionState): boolean {
  const seenSeq = lastTurn?.started.seenSeq
  return seenSeq !== undefined && takenOut(messages).some((message) => takenSince(message, seenSeq))
}

/** The state as a plan saw it that knew the log up to `seenSeq`. */
export function asSeenAt(state: SessionState, seenSeq: number): SessionState {
  if (!state.messages.some((message) => takenSince(message, seenSeq))) return state
  const messages = state.messages.map((message): Message => {
    if (!takenSince(message, seenSeq) || message.kind === "system") return message
    const { quarantined: _, ...whole } = message
    return whole
  })
  return { ...state, messages }
}
