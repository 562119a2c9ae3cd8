/** The wire of the Gemini API (LL1). */
import { loaded } from "../known-wires.ts"
import { streamHeaders } from "../request/address.ts"
import type { Wire } from "../wire.ts"
import { decoder } from "./decode.ts"
import { encode } from "./encode.ts"
import { failureOfAnswer } from "./failure.ts"
import { lint } from "./lint.ts"
import { placing } from "./place.ts"

export const gemini: Wire = loaded({
  name: "gemini",
  ...placing,
  encode,
  lint,
  address: (baseUrl, model = "") => `${versioned(baseUrl)}/${pathOf(model)}:streamGenerateContent?alt=sse`,
  headers: (apiKey) => streamHeaders("x-goog-api-key", apiKey),
  decoder,
  failure: failureOfAnswer,
})

/** Both forms of a base URL are configured in practice, and Vertex names a publisher behind its version. */
function versioned(baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, "")
  return /\/v\d\w*(?:\/|$)/.test(base) ? base : `${base}/v1beta`
}

/** A model is named with or without its collection; a tuned one is in another. */
function pathOf(model: string): string {
  const path = model.split("/").map(encodeURIComponent)
  return path.length > 1 ? path.join("/") : `models/${path.join("/")}`
}
