/**
 * The store on the calling thread: for simulation and for tools that run once.
 *
 * Everything is synchronous and no Promise is involved, so a seeded scheduler decides all order.
 * The first command of a batch runs the gate; commands that arrive before the gate lets the
 * commit happen share its transaction. A caller that is interrupted while it waits in the gate
 * commits at once: as with a writer thread, what was handed over is done.
 */
import type { DatabaseSync } from "node:sqlite"
import { Deferred, Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import { prepareDataFile } from "./data-file.ts"
import { makeListeners } from "./listeners.ts"
import type { Command, OutcomeOf, Store } from "./port.ts"
import { openReadOnlyStore } from "./read-only-store.ts"
import { makeReads } from "./reads.ts"
import { answer, attempt, closed, storeFailureOf } from "./reply.ts"
import { busyMsDefault } from "./sqlite/connection.ts"
import type { Patience } from "./sqlite/connection.ts"
import { batchLength, openDriver } from "./sqlite/driver.ts"
import type { Driver } from "./sqlite/driver.ts"
import { rebuildAll } from "./sqlite/rebuild.ts"
import { findUnreadable } from "./unreadable.ts"

/** Decides when a commit happens. It must run `commit` once, or never return. */
export type Gate = <A>(commit: () => A) => Effect.Effect<A>

export interface InlineStoreOptions {
  readonly file: string
  readonly gate?: Gate
  readonly busyMs?: number
  /** Gets the writing connection; a simulation asks it what a commit syncs. */
  readonly onOpen?: (database: DatabaseSync) => void
  /** Told after each transaction how many commands it held, before anybody is answered. */
  readonly onBatch?: (commands: number) => void
}

interface Waiting {
  readonly command: Command
  readonly done: Deferred.Deferred<never, StoreFailure>
}

/** The caller owns the store and closes it. A store that cannot be written opens for reading. */
export const openInlineStore = (options: InlineStoreOptions): Effect.Effect<Store, StoreFailure> =>
  Effect.suspend(() => {
    try {
      prepareDataFile(options.file)
      const driver = openDriver({ file: options.file, ...patienceOf(options) })
      options.onOpen?.(driver.connection.db)
      return Effect.succeed(makeStore(driver, options))
    } catch (cause) {
      const failure = storeFailureOf(cause)
      return failure.code === "read_only" ? openReadOnlyStore(options.file) : Effect.fail(failure)
    }
  })

const patienceOf = ({ busyMs }: InlineStoreOptions): Patience => ({ busyMs: busyMs ?? busyMsDefault })

function makeStore(driver: Driver, options: InlineStoreOptions): Store {
  const gate: Gate = options.gate ?? Effect.sync
  const patience = patienceOf(options)
  const listeners = makeListeners()
  let queue: Waiting[] = []
  let led = false
  let open = true

  const flush = (): void => {
    led = false
    while (queue.length > 0) {
      const batch = queue.slice(0, batchLength(queue.map((waiting) => waiting.command)))
      queue = queue.slice(batch.length)
      if (!open) {
        for (const { done } of batch) Deferred.doneUnsafe(done, Effect.fail(closed()))
        continue
      }
      const result = driver.apply(batch.map((waiting) => waiting.command))
      options.onBatch?.(batch.length)
      listeners.tell(result.advances) // before the callers go on, so that they find them told
      batch.forEach((waiting, index) => {
        const reply = result.replies[index]
        if (reply === "unfinished") queue.push(waiting)
        else Deferred.doneUnsafe(waiting.done, answer(reply))
      })
      driver.maintain("between-batches")
    }
  }

  const commit = <C extends Command>(command: C): Effect.Effect<OutcomeOf<C>, StoreFailure> =>
    Effect.suspend(() => {
      if (!open) return Effect.fail(closed())
      const unreadable = findUnreadable(command)
      if (unreadable !== null) return Effect.fail(unreadable)
      const done = Deferred.makeUnsafe<never, StoreFailure>()
      queue.push({ command, done })
      if (led) return Deferred.await(done)
      led = true
      let ran = false
      const run = (): void => {
        if (ran) return
        ran = true
        flush()
      }
      return gate(run).pipe(
        Effect.onInterrupt(() => Effect.sync(run)),
        Effect.andThen(Deferred.await(done)),
      )
    })

  return {
    ...makeReads(driver.connection, driver.blobs, commit),
    commit,
    rebuild: () => attempt(() => rebuildAll(driver.connection, patience)),
    onCommitted: listeners.add,
    close: () =>
      attempt(() => {
        open = false
        driver.close()
      }),
  }
}
