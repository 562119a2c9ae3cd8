/** Tokens of a request as Anthropic Messages reports them. */
import { countOf, type JsonFields, objectOf } from "../reading/fields.ts"
import type { UsageTokens } from "../record.ts"

export function usageTokens(usage: JsonFields): UsageTokens {
  const byLife = objectOf(usage["cache_creation"])
  const hour = countOf(byLife["ephemeral_1h_input_tokens"])
  const short = countOf(byLife["ephemeral_5m_input_tokens"])
  const whole = usage["cache_creation_input_tokens"]
  const written = whole === undefined ? hour + short : countOf(whole)
  const cacheWrite1h = Math.min(hour, written)
  return {
    input: countOf(usage["input_tokens"]),
    cacheRead: countOf(usage["cache_read_input_tokens"]),
    // Where the file does not divide what was written, it lived as long as the provider's default.
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output: countOf(usage["output_tokens"]),
  }
}
