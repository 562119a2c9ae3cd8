/**
 * The hub of live events: whoever publishes does not wait for whoever listens. What the events are
 * is said in the schema.
 */
import type { LiveEvent } from "@holdfast/schema/live"

export type { LiveEvent } from "@holdfast/schema/live"

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
