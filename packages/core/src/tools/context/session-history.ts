/** What the context tools see: the Session that calls them, and what was said in others of its project (TL4). */
import type { Effect } from "effect"
import type { AskedDrop, ExpandedPage, ExpandRange } from "@holdfast/recall"
import type { NoteChanged, NoteWritten } from "@holdfast/schema/fact/recall"
import type { RecallStatus, ShownCompartment } from "@holdfast/schema/instance/window"
import type { SearchResult } from "@holdfast/schema/search/found"
import type { ToolFailure } from "../tool.ts"
import type { KnownNotes } from "./note.ts"

export interface SessionHistory {
  /** A page of what was said, as it is stored (TG4), in this Session unless another of its project is named; null where the range holds no message. */
  readonly expand: (
    range: ExpandRange,
    offset: number,
    session?: string,
  ) => Effect.Effect<ExpandedPage | null, ToolFailure>
  /** What matches in all Sessions of the project, without what the window shows (SE1). */
  readonly search: (text: string, limit: number) => Effect.Effect<FoundBefore, ToolFailure>
  /** Queues what these tags name until the prefix breaks, or says why not (TG1). */
  readonly drop: (tags: string) => Effect.Effect<AskedDrop, ToolFailure>
  readonly status: Effect.Effect<WindowStatus, ToolFailure>
  readonly notes: Effect.Effect<KnownNotes>
  /** Whether the note is on record; not where the Session was interrupted (NT1). */
  readonly keep: (note: NoteWritten | NoteChanged) => Effect.Effect<boolean, ToolFailure>
}

export interface FoundBefore extends SearchResult {
  /** The Session that asks. */
  readonly own: string
}

export interface WindowStatus extends Pick<RecallStatus, "threshold" | "waiting"> {
  /** As `provider/model`. */
  readonly model: string
  readonly contextTokens: number
  /** Kept free for the answer. */
  readonly outputTokens: number
  /** Of the request that is being answered, estimated. */
  readonly usedTokens: number
  /** What may still be added before older messages are summed up. */
  readonly leftTokens: number
  /** Compartments that stand for messages which are not shown as they were, oldest first. */
  readonly parts: readonly Pick<ShownCompartment, "id" | "title" | "tier" | "archived">[]
}
