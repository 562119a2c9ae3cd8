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
import { historianTrouble } from "./historian-trouble.ts"

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
      Effect.matchEffect(store.commit(command), {
        onSuccess: (outcome) => {
          degradations.clear(part)
          return Effect.succeed(outcome)
        },
        onFailure: (failure) =>
          Effect.andThen(reportFailure(degradations, part, failure), Effect.fail(failure)),
      }),
  }
}

/**
 * Looks whether the store can be read, and tells everything that is known. What the dreamer and the historian failed at
 * is asked of the store: it may have been for a command, or for a server before this one. What the historian failed at is
 * told only where a model is one.
 */
export const examineHealth = Effect.fnUntraced(function* (
  store: Store,
  degradations: Degradations,
  rootExists: (root: string) => Effect.Effect<boolean>,
  hasHistorian: boolean,
) {
  const part = "storage/read"
  const failed = yield* store.sessions({ limit: 1 }).pipe(
    Effect.andThen(
      Effect.all({
        dreams: store.failedDreams(),
        jobs: hasHistorian ? store.recentHistorianJobs() : Effect.succeed([]),
      }),
    ),
    Effect.tap(() => Effect.sync(() => degradations.clear(part))),
    Effect.catch((failure) =>
      Effect.as(reportFailure(degradations, part, failure), { dreams: [], jobs: [] }),
    ),
  )
  const dreams = dreamTrouble(yield* Effect.filter(failed.dreams, ({ root }) => rootExists(root)))
  return merged(degradations.list(), [...dreams, ...historianTrouble(failed.jobs)])
})

/** What this process knows has the later cause, and the records may know of an earlier beginning. */
function merged(known: readonly Degradation[], stored: readonly Degradation[]): readonly Degradation[] {
  const begun = new Map(stored.map(({ part, since }) => [part, since]))
  const parts = new Set(known.map(({ part }) => part))
  return [
    ...known.map((one) => ({ ...one, since: Math.min(one.since, begun.get(one.part) ?? one.since) })),
    ...stored.filter(({ part }) => !parts.has(part)),
  ]
}

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
