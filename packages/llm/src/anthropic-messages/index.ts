/** The wire of the Anthropic Messages API and of servers that speak it (LL1). */
import { loaded } from "../known-wires.ts"
import { apiAddress, streamHeaders } from "../request/address.ts"
import type { Wire } from "../wire.ts"
import { decoder } from "./decode.ts"
import { encode } from "./encode.ts"
import { failureOfAnswer } from "./failure.ts"
import { lint } from "./lint.ts"
import { placing } from "./place.ts"

/** documented: the one version of the API. */
const apiVersion = "2023-06-01"

export const anthropicMessages: Wire = loaded({
  name: "anthropic-messages",
  ...placing,
  encode,
  lint,
  address: (baseUrl) => apiAddress(baseUrl, "messages"),
  headers: (apiKey) => ({ ...streamHeaders("x-api-key", apiKey), "anthropic-version": apiVersion }),
  decoder,
  failure: failureOfAnswer,
})
