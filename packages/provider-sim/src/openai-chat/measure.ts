/** Measure: a Chat Completions request as the parts that the prompt cache compares. */
import type { JsonObject } from "../json.ts"
import type { CachePrompt, CacheRules, PromptPart } from "../prefix-cache.ts"
import { blockPart, cacheRulesOf, messageParts } from "../openai/prompt.ts"
import type { Accepted } from "../sim-wire.ts"
import { partsOf, thinkingOf } from "./body.ts"
import type { ChatBody, ChatCall, ChatMessage } from "./body.ts"
import { facts } from "./facts.ts"
import { imageOfPart } from "./images.ts"

export function promptOf(accepted: Accepted<ChatBody>, tokensMin: number): CachePrompt {
  const { body, name, dialect, nowMs } = accepted
  const format = body.response_format?.["type"] === "json_schema" ? body.response_format : undefined
  return {
    seed: JSON.stringify([name, body.prompt_cache_key ?? null]),
    rules: rulesOf(accepted),
    nowMs,
    // documented: DeepSeek caches from its first unit on.
    tokensMin: dialect === "deepseek" ? facts.deepseekTokensStep : tokensMin,
    parts: [
      ...[...(body.tools ?? []), ...(body.functions ?? [])].map((tool) => ({
        text: `tool ${JSON.stringify(tool)}`,
      })),
      ...(format === undefined ? [] : [{ text: `format ${JSON.stringify(format)}` }]),
      ...body.messages.flatMap(partsOfMessage),
    ],
  }
}

function rulesOf({ body, name, model, dialect }: Accepted<ChatBody>): CacheRules {
  switch (dialect) {
    case "deepseek":
      return {
        kind: "units",
        tokensStep: facts.deepseekTokensStep,
        tokensInterval: facts.deepseekTokensInterval,
        idleMs: facts.deepseekIdleMs,
      }
    case "groq": // recorded: its usage says nothing of a cache.
      return { kind: "none" }
    default:
      return cacheRulesOf(body, name, model)
  }
}

const saidIn = ({ function: called, custom }: ChatCall): string =>
  called === undefined ? `${custom?.name} ${custom?.input}` : `${called.name} ${called.arguments}`

function partsOfMessage(message: ChatMessage): readonly PromptPart[] {
  const role = message.role === "tool" ? `tool ${message.tool_call_id}` : message.role
  const thinking = thinkingOf(message)
  const thoughts = thinking === "" ? [] : [{ text: `thinking ${thinking}` }]
  const blocks = partsOf(message).map((part) =>
    blockPart(role, part as unknown as JsonObject, imageOfPart(part)),
  )
  const calls = (message.tool_calls ?? []).map((call) => ({
    text: `call ${call.id} ${saidIn(call)}`,
  }))
  const parts = messageParts(
    [...thoughts, ...blocks, ...calls],
    message.role === "user" || message.role === "tool",
  )
  return message.role === "assistant" ? parts.map((part) => ({ ...part, isAnswer: true })) : parts
}
