/** The store on a disk that cannot be written, or is full: reads work, every command answers why. */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import { StoreRefused } from "./failure.ts"
import type { Store } from "./port.ts"
import { makeReads } from "./reads.ts"
import { attempt, storeFailureOf } from "./reply.ts"
import { blobDirectory } from "./sqlite/blob.ts"
import { openReader } from "./sqlite/connection.ts"
import { checkVersion, schemaVersion } from "./sqlite/migrate.ts"

export const openReadOnlyStore = (
  file: string,
  why: "read_only" | "full" = "read_only",
): Effect.Effect<Store, StoreFailure> => attempt(() => makeStore(file, why))

function makeStore(file: string, why: "read_only" | "full"): Store {
  const connection = openReader(file)
  const version = checkVersion(connection)
  if (version !== schemaVersion) {
    connection.close()
    throw new StoreRefused("read_only", `the store has version ${version} and cannot be upgraded here`)
  }
  const refuse = Effect.suspend(() =>
    Effect.fail(storeFailureOf(new StoreRefused(why, "opened for reading only"))),
  )
  return {
    ...makeReads(connection, blobDirectory(file), null),
    commit: () => refuse,
    rebuild: () => refuse,
    onCommitted: () => () => {},
    close: () => attempt(connection.close),
  }
}
