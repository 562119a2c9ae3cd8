/**
 * The wire of model objects of the AI SDK: a call as JSON in, stream parts as JSON lines out (LL1).
 *
 * It is the way to providers that no wire of ours speaks to. The bytes are ours up to the model
 * object; what it sends to its provider, and which cache markers stand there, is its own affair.
 */
import { failureOfAnswer } from "../failure/openai.ts"
import { loaded } from "../known-wires.ts"
import type { Wire } from "../wire.ts"
import { decoder } from "./decode.ts"
import { encode, placing } from "./encode.ts"
import { lint } from "./lint.ts"

export const aiSdk: Wire = loaded({
  name: "ai-sdk",
  ...placing,
  encode,
  lint,
  address: (baseUrl) => baseUrl,
  headers: () => ({}),
  decoder,
  failure: failureOfAnswer,
})
