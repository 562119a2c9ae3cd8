/** The wire of the Anthropic Messages API and of servers that speak it (LL1). */
import { loaded } from "../known-wires.ts"
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
  address: (baseUrl) => {
    const base = baseUrl.replace(/\/+$/, "")
    // Both forms are configured in practice: with and without the version.
    return base.endsWith("/v1") ? `${base}/messages` : `${base}/v1/messages`
  },
  headers: (apiKey) => ({
    ...(apiKey !== null && { "x-api-key": apiKey }),
    "anthropic-version": apiVersion,
    "content-type": "application/json",
    accept: "text/event-stream",
  }),
  decoder,
  failure: failureOfAnswer,
})
