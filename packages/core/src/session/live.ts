/**
 * The hub of live events: whoever publishes does not wait for whoever listens. What the events are
 * is said in the schema.
 */
import type { LiveEvent } from "@holdfast/schema/live"

export type { LiveEvent } from "@holdfast/schema/live"

export interface LiveHub {
  readonly publish: (event: LiveEvent) => void
  /** Whoever queues what it hears says how many bytes wait. */
  readonly subscribe: (listener: (event: LiveEvent) => void, waitingBytes?: () => number) => () => void
  readonly load: () => LiveLoad
}

/** How much the listeners have to do. */
export interface LiveLoad {
  readonly readers: number
  readonly waitingBytes: number
}

export function makeLiveHub(): LiveHub {
  const listeners = new Map<(event: LiveEvent) => void, () => number>()
  return {
    publish: (event) => {
      for (const listener of listeners.keys()) listener(event)
    },
    subscribe: (listener, waitingBytes = () => 0) => {
      listeners.set(listener, waitingBytes)
      return () => void listeners.delete(listener)
    },
    load: () => ({
      readers: listeners.size,
      waitingBytes: [...listeners.values()].reduce((sum, waitingBytes) => sum + waitingBytes(), 0),
    }),
  }
}
