/**
 * Request body: the shape of a Messages request that has passed validation.
 *
 * Only `validate/` may claim that a value has this shape; everything after it relies on it.
 */
import type { JsonObject } from "../json.ts"
import type { Role, ToolChoice } from "../model.ts"

export interface CacheControl {
  readonly type: "ephemeral"
  readonly ttl?: "5m" | "1h"
}

export interface TextBlock {
  readonly type: "text"
  readonly text: string
  readonly cache_control?: CacheControl | null
}

export interface ImageBlock {
  readonly type: "image"
  readonly source: JsonObject
  readonly cache_control?: CacheControl | null
}

export interface ToolUseBlock {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  readonly cache_control?: CacheControl | null
}

export interface ToolResultBlock {
  readonly type: "tool_result"
  readonly tool_use_id: string
  readonly content?: string | readonly (TextBlock | ImageBlock)[]
  readonly is_error?: boolean
  readonly cache_control?: CacheControl | null
}

/** A tool that the provider ran: what it was asked, and what came of it. */
export interface HostedBlock {
  readonly type: "server_tool_use" | "web_search_tool_result" | "web_fetch_tool_result"
  readonly id?: string
  readonly name?: string
  readonly tool_use_id?: string
}

export type ContentBlock =
  | HostedBlock
  | TextBlock
  | ImageBlock
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | ToolUseBlock
  | ToolResultBlock

export interface WireMessage {
  readonly role: Role
  readonly content: string | readonly ContentBlock[]
}

export interface WireTool {
  readonly name: string
  readonly description?: string
  /** Absent from a tool that the provider runs. */
  readonly input_schema?: JsonObject
  readonly cache_control?: CacheControl | null
}

export type Thinking =
  | { readonly type: "enabled"; readonly budget_tokens: number }
  | { readonly type: "adaptive" }
  | { readonly type: "disabled" }

export interface MessagesBody {
  readonly model: string
  readonly max_tokens: number
  readonly messages: readonly WireMessage[]
  readonly system?: string | readonly TextBlock[]
  readonly stream?: boolean
  readonly tools?: readonly WireTool[]
  readonly tool_choice?: ToolChoice
  readonly thinking?: Thinking
  readonly temperature?: number
  readonly top_k?: number
  readonly top_p?: number
  readonly output_config?: JsonObject
  /** Part of a beta: requests with it are refused here, and the cache knows what it would do. */
  readonly speed?: "standard" | "fast"
  readonly cache_control?: CacheControl | null
}

/** documented: a string is shorthand for one text block. An empty string is no block at all. */
export function blocksOf(content: string | readonly ContentBlock[]): readonly ContentBlock[] {
  if (typeof content !== "string") return content
  return content === "" ? [] : [{ type: "text", text: content }]
}

/** The top-level system prompt as blocks. */
export function systemBlocks(body: MessagesBody): readonly TextBlock[] {
  if (body.system === undefined || body.system === "") return []
  return typeof body.system === "string" ? [{ type: "text", text: body.system }] : body.system
}

/** The marker of a block, if it has one; thinking blocks never do. */
export function cacheControlOf(block: object): CacheControl | undefined {
  return (block as { cache_control?: CacheControl | null }).cache_control ?? undefined
}
