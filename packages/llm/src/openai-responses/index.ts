/** The wire of the OpenAI Responses API and of servers that speak it (LL1). */
import { failureOfAnswer } from "../failure/openai.ts"
import { apiAddress, bearerHeaders } from "../request/address.ts"
import { loaded } from "../known-wires.ts"
import type { Wire } from "../wire.ts"
import { decoder } from "./decode.ts"
import { encode } from "./encode.ts"
import { lint } from "./lint.ts"
import { placing } from "./place.ts"

export const openaiResponses: Wire = loaded({
  name: "openai-responses",
  ...placing,
  encode,
  lint,
  address: (baseUrl) => apiAddress(baseUrl, "responses"),
  headers: bearerHeaders,
  decoder,
  failure: failureOfAnswer,
})
