/**
 * Body: the shape of a Converse request that has passed validation.
 *
 * Only the validators of this folder may claim that a value has this shape.
 */
import { isObject, reread } from "../json.ts"
import type { JsonObject, Reading } from "../json.ts"

export interface CachePoint {
  readonly type: "default"
  readonly ttl?: "5m" | "1h"
}

export interface ConverseBlock {
  readonly text?: string
  readonly image?: JsonObject
  readonly document?: JsonObject
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: JsonObject }
  readonly toolResult?: {
    readonly toolUseId: string
    readonly content: readonly {
      readonly text?: string
      readonly json?: unknown
      readonly image?: JsonObject
    }[]
    readonly status?: "success" | "error"
  }
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text: string; readonly signature?: string }
    readonly redactedContent?: string
  }
  readonly cachePoint?: CachePoint
}

export interface ConverseMessage {
  readonly role: "user" | "assistant"
  readonly content: readonly ConverseBlock[]
}

export interface ConverseTool {
  readonly toolSpec?: {
    readonly name: string
    readonly description?: string
    readonly inputSchema: { readonly json: JsonObject }
  }
  readonly cachePoint?: CachePoint
}

export interface ConverseBody {
  readonly messages: readonly ConverseMessage[]
  readonly system?: readonly { readonly text?: string; readonly cachePoint?: CachePoint }[]
  readonly inferenceConfig?: {
    readonly maxTokens?: number
    readonly temperature?: number
    readonly stopSequences?: readonly string[]
  }
  readonly toolConfig?: {
    readonly tools: readonly ConverseTool[]
    readonly toolChoice?: {
      readonly auto?: JsonObject
      readonly any?: JsonObject
      readonly tool?: { readonly name: string }
    }
  }
  readonly additionalModelRequestFields?: JsonObject
}

const reading: Reading = {
  nameOf: (key) => key,
  untouched: new Set(["input", "json", "additionalModelRequestFields", "requestMetadata"]),
}

/** documented: null stands for what is not there, but inside the documents of the client. */
export const readBody = (body: JsonObject): JsonObject => reread(body, reading)

/** documented: a request whose tokens are counted stands inside another. */
export function countedBody({ input }: JsonObject): JsonObject {
  const counted = isObject(input) ? input["converse"] : undefined
  return isObject(counted) ? readBody(counted) : {}
}

export function toolUsesOf(message: ConverseMessage | undefined): readonly string[] {
  return (message?.content ?? []).flatMap((block) => block.toolUse?.toolUseId ?? [])
}

export function toolResultsOf(message: ConverseMessage | undefined): readonly string[] {
  return (message?.content ?? []).flatMap((block) => block.toolResult?.toolUseId ?? [])
}

export function cachePointsOf(body: ConverseBody): readonly CachePoint[] {
  const bearers: readonly { readonly cachePoint?: CachePoint }[] = [
    ...(body.toolConfig?.tools ?? []),
    ...(body.system ?? []),
    ...body.messages.flatMap((message) => message.content),
  ]
  return bearers.flatMap((one) => one.cachePoint ?? [])
}
