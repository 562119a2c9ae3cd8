/** Token counts of a chunk, in the dialects of the servers. */
import type { Usage } from "@holdfast/schema/model"
import { usageWithin } from "../answer/parts.ts"
import { countOf, type Fields, fieldsOf, isFields } from "../json-fields.ts"

/** Null if the chunk tells none. documented: what came from a cache is part of the prompt. */
export function usageOf(chunk: Fields): Usage | null {
  const usage = isFields(chunk["usage"]) ? chunk["usage"] : fieldsOf(chunk["x_groq"])["usage"]
  if (!isFields(usage)) return null
  const details = fieldsOf(usage["prompt_tokens_details"])
  const cacheRead = firstCount(
    details["cached_tokens"],
    usage["prompt_cache_hit_tokens"], // DeepSeek
    usage["cached_tokens"], // Moonshot
  )
  const cacheWrite = firstCount(details["cache_write_tokens"], details["cache_creation_tokens"])
  const prompt = countOf(usage["prompt_tokens"], 0)
  return usageWithin(prompt, outputOf(usage, prompt), cacheRead, cacheWrite)
}

/** documented: xAI counts reasoning beside the answer, the others inside of it; the total tells. */
function outputOf(usage: Fields, prompt: number): number {
  const answer = countOf(usage["completion_tokens"], 0)
  const reasoning = countOf(fieldsOf(usage["completion_tokens_details"])["reasoning_tokens"], 0)
  const total = countOf(usage["total_tokens"], 0)
  return reasoning > 0 && total === prompt + answer + reasoning ? answer + reasoning : answer
}

function firstCount(...values: readonly unknown[]): number {
  for (const value of values) {
    const count = countOf(value, -1)
    if (count >= 0) return count
  }
  return 0
}
