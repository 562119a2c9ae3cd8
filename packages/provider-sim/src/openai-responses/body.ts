/**
 * Body: the shape of a Responses request that has passed validation.
 *
 * Only the validators of this folder may claim that a value has this shape.
 */
import type { JsonObject } from "../json.ts"
import type { CacheParams } from "../openai/prompt.ts"

export interface ContentPart {
  readonly type: string
  readonly text?: string
  readonly refusal?: string
  readonly image_url?: string | null
  readonly file_id?: string | null
  readonly detail?: string | null
}

export interface MessageItem {
  readonly type?: "message"
  readonly role: "user" | "assistant" | "system" | "developer"
  readonly content: string | readonly ContentPart[]
}

interface CallItem {
  readonly call_id: string
  readonly name: string
}

export interface CallOutputItem {
  readonly type: "function_call_output" | "custom_tool_call_output"
  readonly call_id: string
  readonly output: string | readonly ContentPart[]
}

export interface ReasoningItem {
  readonly type: "reasoning"
  readonly id?: string
  readonly summary: readonly { readonly text: string }[]
  readonly encrypted_content?: string | null
}

export type InputItem =
  | MessageItem
  | (CallItem & { readonly type: "function_call"; readonly arguments: string })
  | (CallItem & { readonly type: "custom_tool_call"; readonly input: string })
  | CallOutputItem
  | ReasoningItem
  /** What a tool of the provider did; it stands for itself. */
  | { readonly type: "hosted"; readonly item: JsonObject }

export interface ToolItem {
  readonly type: string
  readonly name?: string
  readonly description?: string | null
  readonly parameters?: JsonObject | null
  readonly strict?: boolean | null
}

export interface ResponsesBody extends CacheParams {
  readonly model: string
  readonly input: string | readonly JsonObject[]
  readonly instructions?: string | null
  readonly stream?: boolean | null
  readonly stream_options?: { readonly include_obfuscation?: boolean } | null
  readonly store?: boolean | null
  readonly max_output_tokens?: number | null
  readonly include?: readonly string[] | null
  readonly reasoning?: { readonly effort?: string | null; readonly summary?: string | null } | null
  readonly text?: { readonly format?: JsonObject | null; readonly verbosity?: string | null } | null
  readonly tools?: readonly ToolItem[] | null
  readonly tool_choice?: string | JsonObject | null
  readonly parallel_tool_calls?: boolean | null
  readonly temperature?: number | null
  readonly top_p?: number | null
  readonly top_logprobs?: number | null
  readonly max_tool_calls?: number | null
  readonly truncation?: string | null
  readonly safety_identifier?: string | null
  readonly user?: string | null
  readonly metadata?: JsonObject | null
  readonly previous_response_id?: string | null
  readonly conversation?: unknown
}

/** The input as items; a string is one message of the user (documented). */
export function itemsOf(body: ResponsesBody): readonly InputItem[] {
  if (typeof body.input === "string") return [{ role: "user", content: body.input }]
  return body.input.map(itemOf)
}

export function partsOf(content: string | readonly ContentPart[], type: string): readonly ContentPart[] {
  return typeof content === "string" ? [{ type, text: content }] : content
}

export function textOfParts(content: string | readonly ContentPart[]): string {
  return partsOf(content, "input_text")
    .flatMap((part) => part.text ?? part.refusal ?? [])
    .join("\n")
}

/** Whether the request asks for its reasoning in a form that it can send back. */
export function wantsEncrypted(body: ResponsesBody): boolean {
  return body.include?.includes("reasoning.encrypted_content") === true
}

/** The form of the answer; text unless something else is asked for (documented). */
export function formatOf(body: ResponsesBody): JsonObject {
  return body.text?.format ?? { type: "text" }
}

function itemOf(item: JsonObject): InputItem {
  switch (item["type"] ?? "message") {
    case "message":
    case "function_call":
    case "custom_tool_call":
    case "function_call_output":
    case "custom_tool_call_output":
    case "reasoning":
      return item as unknown as InputItem
    default:
      return { type: "hosted", item }
  }
}
