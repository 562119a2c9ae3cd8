/** What the memory tool may do for the Session that calls it: change memories of its own project or those that a partner shares (MM3). */
import type { Effect } from "effect"
import type { Memory, MemoryChange } from "@holdfast/schema/memory/memory"
import type { SmartNote, SmartNoteChange } from "@holdfast/schema/memory/note"
import type { ToolFailure } from "../tool.ts"

type Unsigned<C> = C extends MemoryChange ? Omit<C, "source"> : never

/** A change by the Session itself: it cannot say that somebody else made it. */
export type OwnChange = Unsigned<MemoryChange>

/** A change of a note of the project by the Session itself; whether a condition is true is not its to say. */
export type OwnNote = Exclude<
  SmartNoteChange extends infer C ? (C extends SmartNoteChange ? Omit<C, "source"> : never) : never,
  { change: "ready" }
>

export interface ChangedMemory {
  /** Its id is that of a partner where it is another project's, as `m12@3`. */
  readonly memory: Pick<Memory, "category" | "status"> & { readonly id: string }
  readonly made: "written" | "seen" | "changed" | "same"
}

export interface SessionMemory {
  /** All of the changes or none; a refusal is a text that names ids. */
  readonly change: (
    changes: readonly OwnChange[],
    partner?: number,
  ) => Effect.Effect<readonly ChangedMemory[] | string, ToolFailure>
  /** A note of the project (NT1); a refusal is a text that names it. */
  readonly note: (change: OwnNote) => Effect.Effect<SmartNote | string, ToolFailure>
}
