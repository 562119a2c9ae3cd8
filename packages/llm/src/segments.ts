/**
 * The canonical request: what is said to a model, before any wire gives it bytes.
 *
 * Segments stand in the order in which providers read them. An entry of the tail is an immutable
 * value: as long as the same object comes back, its encoded blocks are reused, so a turn costs
 * work for what is new. Entries say who speaks: only `user` entries are the user's words (PR7).
 */
import type { CallId } from "@holdfast/schema/id"
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { Native } from "@holdfast/schema/message"
import type { RequestOptions } from "./options.ts"

export type { RequestOptions } from "./options.ts"

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

export type EntryPart =
  /** `native` says how the provider kept the text: item id, phase. */
  | { readonly type: "text"; readonly text: string; readonly native?: Native | null }
  | { readonly type: "reasoning"; readonly text: string; readonly native: Native | null }
  | {
      readonly type: "call"
      readonly call: CallId
      readonly name: string
      readonly input: Json
      /** What the model reads as the result; every rendered call has one (TU2). */
      readonly result: string
      readonly failed: boolean
      /** Images beside the words of the result. */
      readonly images?: readonly Media[]
      readonly native?: Native | null
    }
  /** What the provider's own tool did, call and result: a native fact, never cut or rewritten (LL8, LL9). */
  | { readonly type: "hosted"; readonly name: string; readonly native: Native }

export type PartOf<Type extends EntryPart["type"]> = Extract<EntryPart, { readonly type: Type }>

export type Entry =
  | { readonly kind: "user"; readonly text: string; readonly images?: readonly Media[] }
  /** A Mid-Conversation System Message at its place in time (LL2). */
  | { readonly kind: "system"; readonly text: string }
  /** The runtime's words: what was cut, what was removed. */
  | { readonly kind: "notice"; readonly text: string }
  | { readonly kind: "assistant"; readonly parts: readonly EntryPart[] }

export interface Segments {
  /** Sorted by name. */
  readonly tools: readonly ToolDefinition[]
  /** The Baseline System Context; empty text means no segment (SC14). */
  readonly system: string
  /** The agent prompt; empty text means no segment. */
  readonly agent: string
  /** What tells this conversation from others; follows from what was said first where it is absent. */
  readonly conversation?: string
  readonly historyBaseline: readonly Entry[]
  readonly historyDelta: readonly Entry[]
  readonly tail: readonly Entry[]
}

/** Whom the request is for. Native metadata is replayed only to the same three (LL4). */
export interface Target {
  readonly provider: string
  readonly model: string
  readonly endpoint: string
  readonly options: RequestOptions
}
