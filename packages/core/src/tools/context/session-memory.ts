/** What the memory tool may do for the Session that calls it: change memories of its own project, one call at a time (MM3). */
import type { Effect } from "effect"
import type { Memory, MemoryChange } from "@holdfast/schema/memory/memory"
import type { ToolFailure } from "../tool.ts"

type Unsigned<C> = C extends MemoryChange ? Omit<C, "source"> : never

/** A change by the Session itself: it cannot say that somebody else made it. */
export type OwnChange = Unsigned<MemoryChange>

export interface ChangedMemory {
  readonly memory: Memory
  readonly made: "written" | "seen" | "changed" | "same"
}

export interface SessionMemory {
  /** All of the changes or none; a refusal is a text that names ids. */
  readonly change: (
    changes: readonly OwnChange[],
  ) => Effect.Effect<readonly ChangedMemory[] | string, ToolFailure>
}
