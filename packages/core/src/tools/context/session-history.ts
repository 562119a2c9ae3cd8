/** What the context tools see of the Session that calls them, and of no other (TL4). */
import type { Effect } from "effect"
import type { ExpandedPage, ExpandRange } from "@holdfast/recall"
import type { ToolFailure } from "../tool.ts"

export interface SessionHistory {
  /** A page of what was said, as it is stored (TG4); null where the range holds no message. */
  readonly expand: (range: ExpandRange, offset: number) => Effect.Effect<ExpandedPage | null, ToolFailure>
  readonly status: Effect.Effect<WindowStatus, ToolFailure>
}

export interface WindowStatus {
  /** As `provider/model`. */
  readonly model: string
  readonly contextTokens: number
  /** Kept free for the answer. */
  readonly outputTokens: number
  /** Of the request that is being answered, estimated. */
  readonly usedTokens: number
  /** What may still be added before older messages are cut. */
  readonly leftTokens: number
  /** Compartments that stand for messages which are not shown as they were, oldest first. */
  readonly parts: readonly { readonly id: string; readonly title: string; readonly tier: number | null }[]
}
