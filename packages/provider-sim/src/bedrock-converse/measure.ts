/**
 * Measure: a Converse request as the Messages request that its cache rules come from.
 *
 * documented: Claude on Bedrock caches as Anthropic's own service does; a cache point stands after
 * what it marks, where a marker stands on it. Nova caches at cache points too; what it caches by
 * itself makes an answer faster, not cheaper, and is not reported.
 */
import type { CacheControl, ContentBlock, MessagesBody } from "../anthropic-messages/request-body.ts"
import type { JsonObject } from "../json.ts"
import type { Accepted } from "../sim-wire.ts"
import type { CachePoint, ConverseBlock, ConverseBody } from "./body.ts"
import { imagesOf, spellImage } from "./images.ts"

export function messagesOf({ body, name, outputMax }: Accepted<ConverseBody>): MessagesBody {
  const tools = marked(body.toolConfig?.tools ?? [], ({ toolSpec: spec }) =>
    spec === undefined
      ? undefined
      : { name: spec.name, description: spec.description ?? "", input_schema: spec.inputSchema.json },
  )
  const system = marked(body.system ?? [], ({ text }) =>
    text === undefined ? undefined : ({ type: "text", text } as const),
  )
  return {
    model: name,
    max_tokens: body.inferenceConfig?.maxTokens ?? outputMax,
    ...(tools.length === 0 ? {} : { tools }),
    ...(system.length === 0 ? {} : { system }),
    messages: body.messages.map(({ role, content }) => ({ role, content: marked(content, blockOf(name)) })),
    output_config: messageParams(body),
  }
}

/** What loses the messages alone: tool choice, thinking, and whether there are images, which are spelled. */
function messageParams(body: ConverseBody): JsonObject {
  return {
    tool_choice: body.toolConfig?.toolChoice ?? { auto: {} },
    fields: body.additionalModelRequestFields ?? {},
    holds_images: body.messages.some((message) => imagesOf(message).length > 0),
  }
}

/** What is kept of a list, each with the cache point that follows it. */
function marked<T extends { readonly cachePoint?: CachePoint }, U extends object>(
  items: readonly T[],
  keep: (item: T) => U | undefined,
): readonly (U & { readonly cache_control?: CacheControl })[] {
  const kept: (U & { cache_control?: CacheControl })[] = []
  for (const item of items) {
    const last = kept.at(-1)
    if (item.cachePoint !== undefined && last !== undefined) {
      last.cache_control = { type: "ephemeral", ttl: item.cachePoint.ttl ?? "5m" }
    }
    const value = item.cachePoint === undefined ? keep(item) : undefined
    if (value !== undefined) kept.push({ ...value })
  }
  return kept
}

const blockOf =
  (model: string) =>
  (block: ConverseBlock): ContentBlock => {
    if (block.text !== undefined) return { type: "text", text: block.text }
    if (block.toolUse !== undefined) {
      const { toolUseId: id, name, input } = block.toolUse
      return { type: "tool_use", id, name, input }
    }
    if (block.toolResult !== undefined) {
      const { toolUseId: id, content, status } = block.toolResult
      return {
        type: "tool_result",
        tool_use_id: id,
        content: content.map((part) =>
          part.image === undefined
            ? { type: "text", text: part.text ?? JSON.stringify(part.json) }
            : { type: "text", text: spellImage(part.image, model) },
        ),
        ...(status === "error" ? { is_error: true } : {}),
      }
    }
    if (block.image !== undefined) return { type: "text", text: spellImage(block.image, model) }
    return { type: "text", text: JSON.stringify(block) }
  }
