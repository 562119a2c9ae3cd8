/**
 * Request body: the shape of a Messages request that has passed validation.
 *
 * Only `validate/` may claim that a value has this shape; everything after it relies on it.
 */
import { wordOf } from "../json.ts"
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
  readonly content?: string | readonly ResultPart[]
  readonly is_error?: boolean
  readonly cache_control?: CacheControl | null
}

export type ResultPart = TextBlock | ImageBlock | DocumentBlock | SearchResultBlock | ToolReferenceBlock

export interface DocumentBlock {
  readonly type: "document"
  readonly source: JsonObject
  readonly cache_control?: CacheControl | null
}

export interface SearchResultBlock {
  readonly type: "search_result"
  readonly content: readonly TextBlock[]
  readonly cache_control?: CacheControl | null
}

/** A tool that a search for tools has found. */
interface ToolReferenceBlock {
  readonly type: "tool_reference"
  readonly cache_control?: CacheControl | null
}

/** A tool that the provider ran: what it was asked, and what came of it. */
export interface HostedBlock {
  readonly type: "server_tool_use" | "mcp_tool_use" | "container_upload" | `${string}_tool_result`
  readonly id?: string
  readonly name?: string
  readonly tool_use_id?: string
}

export type ContentBlock =
  | HostedBlock
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | SearchResultBlock
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | ToolUseBlock
  | ToolResultBlock

export interface WireMessage {
  readonly role: Role
  readonly content: string | readonly ContentBlock[]
}

export interface WireTool {
  readonly type?: string | null
  /** Absent from a set of tools. */
  readonly name?: string
  readonly description?: string
  /** Absent from a tool that has a type of its own. */
  readonly input_schema?: JsonObject
  readonly cache_control?: CacheControl | null
}

export type Thinking = { readonly display?: "summarized" | "omitted" | null } & (
  | { readonly type: "enabled"; readonly budget_tokens: number }
  | { readonly type: "adaptive" | "between_tools" | "disabled" }
)

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
  readonly stop_sequences?: readonly string[]
  readonly output_config?: JsonObject
  readonly speed?: "standard" | "fast" | null
  readonly cache_control?: CacheControl | null
}

/** documented: a string is shorthand for one text block. An empty string is no block at all. */
export function blocksOf(content: string | readonly ContentBlock[]): readonly ContentBlock[] {
  if (typeof content !== "string") return content
  return content === "" ? [] : [{ type: "text", text: content }]
}

/** Whether a block tells what a tool of the provider has found. */
export function isHostedResult(block: ContentBlock): block is HostedBlock {
  return block.type.endsWith("_tool_result")
}

/** What a document says, as far as it is text. */
export function documentText({ source }: DocumentBlock): string {
  const { type, data, content } = source
  if (type === "text") return wordOf(data)
  if (type !== "content") return ""
  if (typeof content === "string") return content
  const parts = Array.isArray(content) ? (content as readonly { readonly text?: unknown }[]) : []
  return parts.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n")
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
