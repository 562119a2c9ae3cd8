/** Facts: what this wire claims about the Messages API, each with its source. */
import { assumed, recorded } from "../sources.ts"

export const facts = {
  overflow: recorded(
    (tokens: number, tokensMax: number) => `prompt is too long: ${tokens} tokens > ${tokensMax} maximum`,
  ),
  overflowWithOutput: recorded(
    (tokens: number, output: number, tokensMax: number) =>
      `input length and \`max_tokens\` exceed context limit: ${tokens} + ${output} > ${tokensMax}, decrease input length or \`max_tokens\` and try again`,
  ),
  rateLimited: assumed("This request would exceed your organization's rate limit. Please try again later."),
  outOfCredit: recorded(
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  ),
  overloaded: recorded("Overloaded"),
  serverError: recorded("Internal server error"),
  keyInvalid: recorded("invalid x-api-key"),
}
