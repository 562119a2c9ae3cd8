/** Tokens of a request as Anthropic Messages reports them. */
import { tokenCount, type JsonFields, objectOf } from "../reading/fields.ts"
import type { UsageTokens } from "../record.ts"

export function usageTokens(usage: JsonFields): UsageTokens {
  const byLife = objectOf(usage["cache_creation"])
  const hour = tokenCount(byLife["ephemeral_1h_input_tokens"])
  const short = tokenCount(byLife["ephemeral_5m_input_tokens"])
  const whole = usage["cache_creation_input_tokens"]
  const written = whole === undefined ? hour + short : tokenCount(whole)
  const cacheWrite1h = Math.min(hour, written)
  return {
    input: tokenCount(usage["input_tokens"]),
    cacheRead: tokenCount(usage["cache_read_input_tokens"]),
    // Where the file does not divide what was written, it lived as long as the provider's default.
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output: tokenCount(usage["output_tokens"]),
  }
}
