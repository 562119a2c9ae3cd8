/**
 * Live events: what happens right now in this process. They are never stored, carry no sequence
 * and may be missed; durable events tell the same story in complete parts (TU3).
 */
import type { CallId, SessionId, TurnId } from "@holdfast/schema/id"
import type { Reason } from "@holdfast/schema/turn"

export type LiveEvent = { readonly session: SessionId } & (
  | { readonly type: "text-delta"; readonly turn: TurnId; readonly index: number; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly turn: TurnId; readonly index: number; readonly text: string }
  | { readonly type: "call-delta"; readonly turn: TurnId; readonly index: number; readonly name: string }
  | { readonly type: "output-delta"; readonly call: CallId; readonly text: string }
  /** The attempt is made again: text shown since it began is void. */
  | {
      readonly type: "attempt-failed"
      readonly turn: TurnId
      readonly reason: Reason
      readonly waitMs: number
    }
  | { readonly type: "drain-end"; readonly status: string; readonly reason: Reason | null }
)

export interface LiveHub {
  readonly publish: (event: LiveEvent) => void
  readonly subscribe: (listener: (event: LiveEvent) => void) => () => void
}

export function makeLiveHub(): LiveHub {
  const listeners = new Set<(event: LiveEvent) => void>()
  return {
    publish: (event) => {
      for (const listener of listeners) listener(event)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
