/** The write lock of a store, in the hands of the test: meanwhile no process is inside a transaction. */
import { DatabaseSync } from "node:sqlite"
import { dataFile } from "@holdfast/store"
import type { Place } from "./place.ts"

/** Waits for whoever has it now. */
export function lockStore(place: Place): { readonly release: () => void } {
  const db = new DatabaseSync(dataFile(place.dataDir), { timeout: 10_000 })
  db.exec("BEGIN IMMEDIATE")
  return {
    release: () => {
      db.exec("ROLLBACK")
      db.close()
    },
  }
}
