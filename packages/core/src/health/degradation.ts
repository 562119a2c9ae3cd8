/**
 * Degradations: parts that fail while the rest goes on, for `health` to name (FA1).
 *
 * A part is reported with its cause; the time of the first report stands until the part works
 * again. The store reports itself: what it refuses before a turn is not sent, so a broken disk is
 * both told and fails closed.
 */
import { Clock, Effect } from "effect"
import type { StoreFailure, StoreFailureCode } from "@holdfast/schema/error"
import { type Degradation, degradationsMax } from "@holdfast/schema/health"
import type { Store } from "@holdfast/store/port"
import { dreamTrouble } from "./dream-trouble.ts"

export interface Degradations {
  readonly report: (part: string, cause: string) => Effect.Effect<void>
  /** The part works. A repeat is safe. */
  readonly clear: (part: string) => void
  readonly list: () => readonly Degradation[]
}

export function makeDegradations(): Degradations {
  const found = new Map<string, Degradation>()
  return {
    report: Effect.fnUntraced(function* (part, cause) {
      const since = found.get(part)?.since ?? (yield* Clock.currentTimeMillis)
      if (found.has(part) || found.size < degradationsMax) found.set(part, { part, cause, since })
    }),
    clear: (part) => void found.delete(part),
    list: () => [...found.values()],
  }
}

/** The store, telling whether it can write. */
export function watchWrites(store: Store, degradations: Degradations): Store {
  const part = "storage/write"
  return {
    ...store,
    commit: (command) =>
      store.commit(command).pipe(
        Effect.map((outcome) => {
          degradations.clear(part)
          return outcome
        }),
        Effect.tapError((failure) => reportFailure(degradations, part, failure)),
      ),
  }
}

/**
 * Looks whether the store can be read, and tells everything that is known. What the dreamer failed at is asked of the
 * store: the run may have been a command's, which has ended.
 */
export const examineHealth = Effect.fnUntraced(function* (
  store: Store,
  degradations: Degradations,
  rootExists: (root: string) => Effect.Effect<boolean>,
) {
  const part = "storage/read"
  const failed = yield* store.sessions({ limit: 1 }).pipe(
    Effect.andThen(store.failedDreams()),
    Effect.tap(() => Effect.sync(() => degradations.clear(part))),
    Effect.catch((failure) => Effect.as(reportFailure(degradations, part, failure), [])),
  )
  const dreams = dreamTrouble(yield* Effect.filter(failed, ({ root }) => rootExists(root)))
  const known = degradations.list()
  return [...known, ...dreams.filter((one) => known.every((other) => other.part !== one.part))]
})

const reportFailure = (degradations: Degradations, part: string, failure: StoreFailure) =>
  isOfStorage[failure.code] ? degradations.report(part, failure.message) : Effect.void

/** A command that does not fit is the fault of whoever sent it, not of the storage. */
const isOfStorage: Record<StoreFailureCode, boolean> = {
  busy: true,
  full: true,
  read_only: true,
  corrupt: true,
  newer: true,
  mismatch: false,
  closed: true,
  unavailable: true,
}
