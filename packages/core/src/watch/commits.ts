/**
 * The hub of commits: everything that this process asked of its store, and what became of it.
 *
 * Whoever counts or traces what the runtime does listens here, so that the runtime itself does
 * neither. A listener is called in the fiber of the commit, once it is on disk, and must not throw.
 */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Command, OutcomeOf, Outcomes, Store } from "@holdfast/store/port"

type Committed = {
  [K in Command["kind"]]: {
    readonly type: K
    readonly command: Extract<Command, { readonly kind: K }>
    readonly outcome: Outcomes[K]
  }
}[Command["kind"]]

/** `type` is the kind of the command, or `failed` where the store could not take it. */
export type CommitEvent =
  | Committed
  | { readonly type: "failed"; readonly command: Command; readonly failure: StoreFailure }

export interface CommitHub {
  readonly publish: (event: CommitEvent) => void
  /** Returns the way to unsubscribe. */
  readonly subscribe: (listener: (event: CommitEvent) => void) => () => void
}

export function makeCommitHub(): CommitHub {
  const listeners = new Set<(event: CommitEvent) => void>()
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

/** The store, telling the hub of each commit. */
export const watchCommits = (store: Store, hub: CommitHub): Store => ({
  ...store,
  commit: <C extends Command>(command: C) =>
    Effect.matchEffect(store.commit(command), {
      onSuccess: (outcome: OutcomeOf<C>) => {
        // Command and outcome belong together by the type of `commit`, which a union cannot say.
        hub.publish({ type: command.kind, command, outcome } as unknown as Committed)
        return Effect.succeed(outcome)
      },
      onFailure: (failure) => {
        hub.publish({ type: "failed", command, failure })
        return Effect.fail(failure)
      },
    }),
})
