/** The JSON Schema of one provider, for editors; the decoder says more exactly what is wrong. */
import { profiles } from "@holdfast/llm/openai-chat/profiles"
import type { JsonObject } from "@holdfast/schema/json"
import { cacheKinds, reasoningKinds } from "../decode-model.ts"
import { timeoutKeys, timeoutSecondsMax } from "../decode-provider.ts"
import { wireNames } from "../known-providers.ts"

const text: JsonObject = { type: "string", minLength: 1 }
const truth: JsonObject = { type: "boolean" }
const count: JsonObject = { type: "integer", minimum: 1 }
const seconds: JsonObject = { ...count, maximum: timeoutSecondsMax }
const amount: JsonObject = { type: "number", minimum: 0 }
const options: JsonObject = { type: "object", description: "In the shape of models.dev or the AI SDK." }
const command: JsonObject = {
  type: "array",
  items: text,
  minItems: 1,
  description: "A program and its arguments, run without a shell.",
}

const closed = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required: [...required] }),
  additionalProperties: false,
})

const modelSchema = closed({
  limit: closed({ context: count, output: count }),
  price: {
    ...closed({ input: amount, output: amount, cacheRead: amount, cacheWrite: amount }, [
      "input",
      "output",
      "cacheRead",
      "cacheWrite",
    ]),
    description: "Dollars for a million tokens.",
  },
  thinkingTokens: { type: "integer", minimum: 1_024 },
  systemRole: { ...truth, description: "The model takes instructions at their place in time." },
  reasoning: { enum: [...reasoningKinds] },
  cache: { enum: [...cacheKinds] },
  tools: truth,
  images: truth,
  structuredOutput: truth,
  options,
  variants: { type: "object", additionalProperties: options },
})

export const providerSchema: JsonObject = closed({
  wire: { enum: [...wireNames()] },
  baseUrl: { type: "string", pattern: "^https?://" },
  profile: { enum: Object.keys(profiles), description: "How a server of openai-chat differs from others." },
  apiKey: { ...text, description: "The key itself." },
  apiKeyEnv: { ...text, description: "The variable that holds the key." },
  apiKeyFile: { ...text, description: "A file of yours with mode 600 that holds the key." },
  apiKeyCommand: command,
  aws: closed({ profile: text, file: text, command, region: text }),
  options,
  timeouts: {
    ...closed(Object.fromEntries(timeoutKeys.map((key) => [key, seconds]))),
    description: "How long an answer may take, where it is not as long as for other providers.",
  },
  models: { type: "object", additionalProperties: modelSchema },
})
