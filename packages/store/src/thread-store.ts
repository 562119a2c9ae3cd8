/**
 * The store of production: commits on a writer thread, reads on a connection of this one.
 *
 * The event loop never waits for a disk or a lock (DESIGN, section 4). A read sees every command
 * that has resolved, because a commit is visible to other connections before its reply leaves.
 */
import { statfsSync } from "node:fs"
import { dirname } from "node:path"
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import { prepareDataFile } from "./data-file.ts"
import { StoreRefused } from "./failure.ts"
import { makeListeners } from "./listeners.ts"
import type { Listeners } from "./listeners.ts"
import type { Command, OutcomeOf, Store } from "./port.ts"
import { openReadOnlyStore } from "./read-only-store.ts"
import { makeReads } from "./reads.ts"
import { answer, attempt, closed, storeFailureOf, toFailure } from "./reply.ts"
import { blobDirectory } from "./sqlite/blob.ts"
import { busyMsDefault, openReader, openWriter } from "./sqlite/connection.ts"
import type { Connection } from "./sqlite/connection.ts"
import { rebuildAll } from "./sqlite/rebuild.ts"
import { beginThread, type BegunWriter } from "./thread/begin.ts"
import { startWriter } from "./thread/link.ts"
import type { Link } from "./thread/link.ts"
import { findUnreadable } from "./unreadable.ts"

export interface ThreadStoreOptions {
  readonly file: string
  readonly busyMs?: number
  /** Entry of the writer thread, where a bundle has put it elsewhere. */
  readonly worker?: URL
  /** One that was begun before; its own unless given. */
  readonly writer?: BegunWriter
  /**
   * Opens a store on a full disk for reading, until it is closed: for a program that ends soon. One
   * that stays is refused, and can open it again when there is room.
   */
  readonly readsWhenFull?: boolean
  /** Told after each transaction how many commands it held. */
  readonly onBatch?: (commands: number) => void
}

/** The caller owns the store and closes it. A store that cannot be written opens for reading. */
export const openThreadStore = (options: ThreadStoreOptions): Effect.Effect<Store, StoreFailure> =>
  Effect.callback<Store, StoreFailure>((resume) => {
    const listeners = makeListeners()
    try {
      prepareDataFile(options.file)
    } catch (cause) {
      options.writer?.end()
      return resume(fallBack(options, storeFailureOf(cause)))
    }
    const link = startWriter(
      options.writer?.take() ?? beginThread(options.worker),
      { file: options.file, busyMs: options.busyMs ?? busyMsDefault },
      {
        onReady: () => resume(attach(options.file, link, listeners)),
        onRefused: (failure) => resume(fallBack(options, toFailure(failure))),
        onCommitted: (commands, advances) => {
          listeners.tell(advances)
          options.onBatch?.(commands)
        },
      },
    )
    return Effect.sync(() => link.close(() => {}))
  })

/** What cannot be written can be read, if it is there and of this version. */
function fallBack(
  { file, readsWhenFull = false }: ThreadStoreOptions,
  failure: StoreFailure,
): Effect.Effect<Store, StoreFailure> {
  if (failure.code === "read_only") return openReadOnlyStore(file)
  if (!isFull(file, failure)) return Effect.fail(failure)
  const full = storeFailureOf(new StoreRefused("full", failure.detail))
  return readsWhenFull ? Effect.mapError(openReadOnlyStore(file, "full"), () => full) : Effect.fail(full)
}

/** What SQLite makes beside a database when it opens it. */
const openBytesMin = 65_536

/** SQLite tells a file beside the database that finds no space as one out of reach. */
function isFull(file: string, { code }: StoreFailure): boolean {
  if (code !== "unavailable") return code === "full"
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    return bavail * bsize < openBytesMin
  } catch {
    return false // the directory itself is out of reach
  }
}

function attach(file: string, link: Link, listeners: Listeners): Effect.Effect<Store, StoreFailure> {
  try {
    return Effect.succeed(makeStore(openReader(file), file, link, listeners))
  } catch (cause) {
    link.close(() => {})
    return Effect.fail(storeFailureOf(cause))
  }
}

function makeStore(reader: Connection, file: string, link: Link, listeners: Listeners): Store {
  let open = true
  const commit = <C extends Command>(command: C): Effect.Effect<OutcomeOf<C>, StoreFailure> =>
    Effect.callback<OutcomeOf<C>, StoreFailure>((resume) => {
      if (!open) return resume(Effect.fail(closed()))
      const unreadable = findUnreadable(command)
      if (unreadable !== null) return resume(Effect.fail(unreadable))
      link.commit(command, (reply) => resume(answer(reply)))
    })
  return {
    ...makeReads(reader, blobDirectory(file), commit),
    commit,
    rebuild: () => (open ? attempt(() => rebuildBeside(file)) : Effect.fail(closed())),
    onCommitted: listeners.add,
    close: () =>
      Effect.callback<void, StoreFailure>((resume) => {
        if (!open) return resume(Effect.void)
        open = false
        reader.close() // first, so that the writer is the last and leaves one file behind
        link.close((failure) => resume(failure === null ? Effect.void : Effect.fail(toFailure(failure))))
      }),
  }
}

/** A repair for quiet hours: it holds up this thread, and the writer thread Session by Session. */
function rebuildBeside(file: string): void {
  const patience = { busyMs: busyMsDefault }
  const connection = openWriter(file, patience)
  try {
    rebuildAll(connection, patience)
  } finally {
    connection.close()
  }
}
