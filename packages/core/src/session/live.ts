/**
 * The hub of live events: whoever publishes does not wait for whoever listens. What the events are
 * is said in the schema.
 */
import type { SessionId, TurnId } from "@holdfast/schema/id"
import type { LiveEvent } from "@holdfast/schema/live"

export type { LiveEvent } from "@holdfast/schema/live"

export interface LiveHub {
  readonly publish: (event: LiveEvent) => void
  /** Whoever queues what it hears says how many bytes wait. */
  readonly subscribe: (listener: (event: LiveEvent) => void, waitingBytes?: () => number) => () => void
  readonly load: () => LiveLoad
  readonly readers: () => number
  /** A turn begins to stream; `parts` tells what its open parts have said so far. Returns its end. */
  readonly stream: (session: SessionId, turn: TurnId, parts: () => Iterable<OpenPart>) => () => void
  /** The text so far of each open part of a Session, as events for whoever comes late (EV2). */
  readonly openParts: (session: SessionId) => readonly LiveEvent[]
}

export interface OpenPart {
  readonly index: number
  readonly type: "text" | "reasoning"
  readonly text: string
}

/** How much the listeners have to do. */
export interface LiveLoad {
  readonly readers: number
  readonly waitingBytes: number
}

export function makeLiveHub(): LiveHub {
  const listeners = new Map<(event: LiveEvent) => void, () => number>()
  const streams = new Map<SessionId, { readonly turn: TurnId; readonly parts: () => Iterable<OpenPart> }>()
  return {
    publish: (event) => {
      for (const listener of listeners.keys()) listener(event)
    },
    subscribe: (listener, waitingBytes = () => 0) => {
      listeners.set(listener, waitingBytes)
      return () => void listeners.delete(listener)
    },
    stream: (session, turn, parts) => {
      const own = { turn, parts }
      streams.set(session, own)
      return () => {
        if (streams.get(session) === own) streams.delete(session)
      }
    },
    openParts: (session) => {
      const { turn, parts } = streams.get(session) ?? { parts: () => [] }
      if (turn === undefined) return []
      return [...parts()].map(({ index, type: part, text }) => ({
        session,
        type: "open-part",
        turn,
        index,
        part,
        text,
      }))
    },
    readers: () => listeners.size,
    load: () => ({
      readers: listeners.size,
      waitingBytes: [...listeners.values()].reduce((sum, waitingBytes) => sum + waitingBytes(), 0),
    }),
  }
}
