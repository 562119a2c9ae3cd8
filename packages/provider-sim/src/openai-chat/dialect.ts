/** Dialect: what the servers of Chat Completions call things, each as recorded or documented. */
import { digestOf, lettersOf } from "../answer/answer.ts"
import type { JsonObject } from "../json.ts"
import type { ChatDialect } from "../model.ts"
import type { CompletionAnswer } from "./completion.ts"

/** recorded: the id of an answer. */
export function answerIdOf(dialect: ChatDialect, mark: string, created: number): string {
  switch (dialect) {
    case "openai":
      return `chatcmpl-${lettersOf(mark, 29)}`
    case "deepseek":
      return uuidOf(mark)
    case "groq":
      return `chatcmpl-${uuidOf(mark)}`
    case "openrouter":
      return `gen-${created}-${lettersOf(mark, 20)}`
  }
}

/** recorded: the id of a call; Groq's are short. */
export function callIdOf(dialect: ChatDialect, mark: string): string {
  return dialect === "groq" ? lettersOf(mark, 9).toLowerCase() : `call_${lettersOf(mark, 24)}`
}

/** documented: where a server puts its thinking; OpenAI's own shows none. */
export function thinkingFields(dialect: ChatDialect, text: string): JsonObject {
  if (text === "") return {}
  switch (dialect) {
    case "openai":
      return {}
    case "deepseek":
      return { reasoning_content: text }
    case "groq":
      return { reasoning: text }
    case "openrouter": {
      const detail = { type: "reasoning.text", text, format: "unknown", index: 0 }
      return { reasoning: text, reasoning_details: [detail] }
    }
  }
}

/** recorded: the fields before the choices. */
export function headOf(answer: CompletionAnswer, object: string): JsonObject {
  const { id, created, body } = answer
  const head = { id, object, created, model: body.model }
  const print = { system_fingerprint: `fp_${digestOf(body.model).slice(0, 10)}` }
  switch (answer.dialect) {
    case "openai":
      return { ...head, service_tier: "default", ...print }
    case "openrouter":
      return { ...head, provider: "Sim", ...print }
    default:
      return { ...head, ...print }
  }
}

/** recorded: the usage; of OpenAI's writes the documentation. */
export function usageOf(answer: CompletionAnswer): JsonObject {
  const { measure, outputTokens, thinkingTokens } = answer
  const counts = {
    prompt_tokens: measure.tokens,
    completion_tokens: outputTokens,
    total_tokens: measure.tokens + outputTokens,
  }
  const read = { cached_tokens: measure.read }
  switch (answer.dialect) {
    case "openai": {
      const writes = answer.writesReported ? { cache_write_tokens: measure.write } : {}
      return {
        ...counts,
        prompt_tokens_details: { ...read, ...writes, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: thinkingTokens,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      }
    }
    case "deepseek":
      return {
        ...counts,
        prompt_tokens_details: read,
        ...(thinkingTokens > 0 ? { completion_tokens_details: { reasoning_tokens: thinkingTokens } } : {}),
        prompt_cache_hit_tokens: measure.read,
        prompt_cache_miss_tokens: measure.tokens - measure.read,
      }
    case "groq":
      return { queue_time: 0.01, ...counts, prompt_time: 0.01, completion_time: 0.02, total_time: 0.03 }
    case "openrouter":
      return {
        ...counts,
        cost: 0,
        is_byok: false,
        prompt_tokens_details: {
          ...read,
          cache_write_tokens: measure.write,
          audio_tokens: 0,
          video_tokens: 0,
        },
        cost_details: {
          upstream_inference_cost: 0,
          upstream_inference_prompt_cost: 0,
          upstream_inference_completions_cost: 0,
        },
        completion_tokens_details: { reasoning_tokens: thinkingTokens, image_tokens: 0, audio_tokens: 0 },
      }
  }
}

function uuidOf(mark: string): string {
  const ends = [0, 8, 12, 16, 20, 32]
  return ends
    .slice(1)
    .map((end, index) => mark.slice(ends[index], end))
    .join("-")
}
