/**
 * Body: the shape of a Chat Completions request that has passed validation.
 *
 * Only the validators of this folder may claim that a value has this shape.
 */
import type { JsonObject } from "../json.ts"
import type { ImageField } from "../openai/image.ts"
import type { CacheParams } from "../openai/prompt.ts"

export interface ChatPart {
  readonly type: string
  readonly text?: string
  readonly refusal?: string
  readonly image_url?: ImageField
}

export interface ChatCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface ChatMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool" | "function"
  readonly content?: string | readonly ChatPart[] | null
  readonly tool_calls?: readonly ChatCall[] | null
  readonly tool_call_id?: string
  readonly name?: string
  readonly reasoning_content?: string | null
  readonly reasoning?: string | null
}

export interface ChatTool {
  readonly function: {
    readonly name: string
    readonly description?: string | null
    readonly parameters?: JsonObject | null
  }
}

export interface ChatBody extends CacheParams {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly stream?: boolean | null
  readonly stream_options?: {
    readonly include_usage?: boolean
    readonly include_obfuscation?: boolean
  } | null
  readonly max_tokens?: number | null
  readonly max_completion_tokens?: number | null
  readonly n?: number | null
  readonly temperature?: number | null
  readonly tools?: readonly ChatTool[] | null
  readonly tool_choice?: string | JsonObject | null
  readonly parallel_tool_calls?: boolean | null
  readonly response_format?: JsonObject | null
  readonly reasoning_effort?: string | null
}

export function partsOf(message: ChatMessage): readonly ChatPart[] {
  const content = message.content ?? []
  return typeof content === "string" ? [{ type: "text", text: content }] : content
}

/** The thinking of an assistant message, under either name. */
export function thinkingOf(message: ChatMessage): string {
  return message.reasoning_content ?? message.reasoning ?? ""
}

/** The output limit of the request, under either name. */
export function outputLimitOf(body: ChatBody): number | undefined {
  return body.max_completion_tokens ?? body.max_tokens ?? undefined
}
