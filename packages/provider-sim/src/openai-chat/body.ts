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
  readonly function?: { readonly name: string; readonly arguments: string }
  readonly custom?: { readonly name: string; readonly input: string }
}

export interface ChatMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool" | "function"
  readonly content?: string | readonly ChatPart[] | null
  readonly tool_calls?: readonly ChatCall[] | null
  readonly tool_call_id?: string
  readonly name?: string
  readonly function_call?: unknown
  readonly reasoning_content?: string | null
  readonly reasoning?: string | null
}

export interface ChatFunction {
  readonly name: string
  readonly description?: string | null
  readonly parameters?: JsonObject | null
}

export interface ChatTool {
  readonly function?: ChatFunction
  /** A tool that takes a text. */
  readonly custom?: { readonly name: string; readonly description?: string | null }
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
  /** The form of old. */
  readonly functions?: readonly ChatFunction[] | null
  readonly function_call?: unknown
  readonly stop?: string | readonly string[] | null
  readonly frequency_penalty?: number | null
  readonly presence_penalty?: number | null
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

/** The tools of a request by their names, in either form. */
export function toolsOf(body: ChatBody): readonly (ChatFunction & { readonly isCustom: boolean })[] {
  return [
    ...(body.tools ?? []).flatMap(({ function: one, custom }) => [
      ...(one === undefined ? [] : [{ ...one, isCustom: false }]),
      ...(custom === undefined ? [] : [{ ...custom, parameters: textInput, isCustom: true }]),
    ]),
    ...(body.functions ?? []).map((one) => ({ ...one, isCustom: false })),
  ]
}

/** What a tool that takes a text is called with, as a model sees it. */
const textInput = { type: "object", properties: { input: { type: "string" } }, required: ["input"] }

export function stopsOf({ stop }: ChatBody): readonly string[] {
  return typeof stop === "string" ? [stop] : (stop ?? [])
}

/** The output limit of the request, under either name. */
export function outputLimitOf(body: ChatBody): number | undefined {
  return body.max_completion_tokens ?? body.max_tokens ?? undefined
}
