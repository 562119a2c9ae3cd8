/** Listeners of commits. One that throws is the bug of its owner and does not reach the others. */
import type { SessionId } from "@holdfast/schema/id"

export type CommitListener = (session: SessionId, seq: number) => void

export interface Listeners {
  readonly add: (listener: CommitListener) => () => void
  readonly tell: (advances: readonly { readonly session: SessionId; readonly seq: number }[]) => void
}

export function makeListeners(): Listeners {
  const listeners = new Set<CommitListener>()
  return {
    add: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell: (advances) => {
      for (const { session, seq } of advances) {
        // A copy: a listener that is told may register the next one, which waits for the next commit.
        for (const listener of Array.from(listeners)) {
          try {
            listener(session, seq)
          } catch (cause) {
            queueMicrotask(() => {
              throw cause
            })
          }
        }
      }
    },
  }
}
