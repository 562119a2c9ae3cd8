/** Projections written anew from the log, for a store whose log is sound. */
import { Effect } from "effect"
import { rebuildProjections } from "@holdfast/core/host/examine"
import { dataDirectoryOf } from "./directories.ts"
import type { HoldfastOptions } from "./holdfast.ts"

/** Waits for its turn among writers; a repeat is safe. */
export const rebuildStore = (options: Pick<HoldfastOptions, "dataDir" | "environment">): Promise<void> =>
  Effect.runPromise(rebuildProjections(dataDirectoryOf(options)))
