/**
 * Model: what a simulated model sees of a request and what it answers.
 *
 * A model is a pure function. Everything it may know is in the view; everything that can happen
 * on the wire, faults included, is in the reply.
 */
import type { Fault } from "./faults.ts"
import type { JsonObject } from "./json.ts"

export type Role = "user" | "assistant" | "system"

export type ToolChoice =
  | { readonly type: "auto" | "any" | "none"; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: "tool"; readonly name: string; readonly disable_parallel_tool_use?: boolean }

/** Which server speaks Chat Completions: the original, or one that differs in known ways. */
export type ChatDialect = "openai" | "deepseek" | "groq" | "openrouter"

export interface SimModel {
  readonly limit?: { readonly context: number; readonly output: number }
  /** The model takes `role: "system"` inside `messages`. Default false. */
  readonly systemRole?: boolean
  /** The model thinks: it takes the `thinking` parameter, or is a reasoning model. Default false. */
  readonly thinking?: boolean
  /** Anthropic: the thinking of earlier turns is not kept, as with older models. Default false. */
  readonly dropsThinking?: boolean
  /** The model reads images; one that does not refuses them as its provider would. Default true. */
  readonly images?: boolean
  /** The model continues a final assistant message. Default true. */
  readonly prefill?: boolean
  /** The shortest prefix that is cached; overrides the option of the provider. */
  readonly cacheTokensMin?: number
  /** OpenAI: the cache works at breakpoints. Default: from the name, GPT-5.6 and later. */
  readonly cacheBreakpoints?: boolean
  /** Called once for each accepted request; must be pure and total. */
  reply(view: RequestView): Reply
}

export interface RequestView {
  readonly model: string
  /** How many requests this model has accepted before. */
  readonly callIndex: number
  readonly system: string
  readonly messages: readonly ViewMessage[]
  /** Every image of the messages, in their order. */
  readonly images: readonly ViewImage[]
  readonly tools: readonly ViewTool[]
  readonly toolChoice: ToolChoice
  readonly thinking: boolean
  readonly maxTokens: number
  /** Texts at which the answer stops. */
  readonly stops: readonly string[]
  /** The schema that the answer has to follow, where one is asked for. */
  readonly outputSchema: JsonObject | undefined
  /** How often this very request has come before. */
  readonly attempt: number
}

export interface ViewMessage {
  readonly role: Role
  readonly blocks: readonly ViewBlock[]
}

export type ViewBlock =
  | { readonly type: "text"; readonly text: string }
  | ({ readonly type: "image" } & ViewImage)
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "redacted_thinking" }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonObject }
  | {
      readonly type: "tool_result"
      readonly id: string
      readonly text: string
      readonly isError: boolean
      readonly images: readonly ViewImage[]
    }

/** Whether an image came as part of a prompt or inside a tool result. */
export type ImagePlace = "prompt" | "result"

/** An image as the provider decoded it; one given by its address has neither hash nor size. */
export interface ViewImage {
  readonly mediaType: string
  /** Lower-case hexadecimal SHA-256 of the bytes. */
  readonly hash: string
  readonly bytes: number
  readonly width: number
  readonly height: number
  readonly place: ImagePlace
}

export interface ViewTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

/** Every image of a conversation, in its order. */
export function imagesIn(messages: readonly ViewMessage[]): readonly ViewImage[] {
  return messages
    .flatMap((message) => message.blocks)
    .flatMap((block) => {
      if (block.type === "tool_result") return block.images
      if (block.type !== "image") return []
      const { type: _, ...image } = block
      return [image]
    })
}

export type ReplyBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "redacted_thinking" }
  | { readonly type: "tool_use"; readonly name: string; readonly input: JsonObject; readonly id?: string }
  /** What a tool of the provider did, in the words of the wire; the request must declare such a tool. */
  | { readonly type: "hosted"; readonly native: JsonObject }

export interface Reply {
  readonly blocks: readonly ReplyBlock[]
  /** In the words of Anthropic on every wire. Default `tool_use` if a tool is called, else `end_turn`. */
  readonly stopReason?: string
  /** Characters of one delta. Default 24. */
  readonly chunkChars?: number
  /** Pause before each delta. Default 0. */
  readonly delayMs?: number
  /** Pause before status line and headers. Default 0. */
  readonly firstByteMs?: number
  /** Events in one write. Default 1. */
  readonly framesPerWrite?: number
  /** Cuts the stream into writes of this many bytes, across events and code points. */
  readonly bytesPerWrite?: number
  readonly fault?: Fault
  /** The fault passes after so many tries of the same request. Default: it stays. */
  readonly faultTries?: number
  /** Reported instead of the estimate; also switches off the cut at `max_tokens`. */
  readonly outputTokens?: number
  /** Adds events, fields, delta types and a stop reason that no client knows. */
  readonly unknownEvents?: boolean
}
