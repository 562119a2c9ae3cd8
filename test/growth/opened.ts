/** A runtime over a store in a file, whose statements are counted. No turn runs here. */
import type { DatabaseSync } from "node:sqlite"
import { makeCursors } from "@holdfast/core/page/cursor"
import { type Lists, makeLists } from "@holdfast/core/page/lists"
import type { Runtime } from "@holdfast/core/runtime"
import { openRuntime } from "../stage/opened.ts"
import { plainTransport } from "../stage/transport.ts"
import { meterWork, type WorkMeter } from "./work.ts"

export interface Opened {
  readonly runtime: Runtime
  readonly lists: Lists
  readonly db: DatabaseSync
  readonly meter: WorkMeter
  readonly close: () => Promise<void>
}

export async function openFile(file: string): Promise<Opened> {
  const found: { db?: DatabaseSync; meter?: WorkMeter } = {}
  const given = { instance: file, transport: plainTransport(() => undefined) }
  const { runtime, close } = await openRuntime(file, given, {
    onOpen: (db) => {
      found.db = db
      found.meter = meterWork(db)
    },
  })
  const { db, meter } = found
  if (db === undefined || meter === undefined) throw new Error("The store did not show its connection.")
  return { runtime, lists: makeLists(runtime, makeCursors("a secret")), db, meter, close }
}
