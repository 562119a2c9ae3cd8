/** Tokens of a request as OpenAI reports them, and Codex after it. */
import { tokenCount, type JsonFields, objectOf } from "../reading/fields.ts"
import type { UsageTokens } from "../record.ts"

/** documented: input counts what was read from the cache as well; output counts reasoning. */
export function usageTokens(usage: JsonFields): UsageTokens {
  const details = objectOf(usage["input_tokens_details"])
  const all = tokenCount(usage["input_tokens"])
  const cacheRead = Math.min(all, tokenCount(usage["cached_input_tokens"] ?? details["cached_tokens"]))
  const written = tokenCount(
    usage["cache_write_input_tokens"] ?? usage["cache_write_tokens"] ?? details["cache_write_tokens"],
  )
  const cacheWrite5m = Math.min(all - cacheRead, written)
  const input = all - cacheRead - cacheWrite5m
  return { input, cacheRead, cacheWrite5m, cacheWrite1h: 0, output: tokenCount(usage["output_tokens"]) }
}
