/** A body of anybody's as a canonical request, with whom it is for. */
import type { ReadRequest } from "../reading/read-request.ts"
import { readers } from "../reading/readers.ts"
import type { Target } from "../segments.ts"
import type { Wire } from "../wire.ts"
import { modelInUrl } from "./wire-of-url.ts"

export interface ReadBack {
  readonly request: ReadRequest
  readonly target: Target
}

/** A body as a canonical request and whom it is for; null if it is no request of this wire. */
export function readBack(wire: Wire, url: string, body: string): ReadBack | null {
  const { origin, hostname } = new URL(url)
  const model = modelInUrl(wire, url)
  // The name of a provider is the word before the top of its domain.
  const tag = {
    provider: hostname.split(".").at(-2) ?? hostname,
    endpoint: origin,
    ...(model === null ? {} : { model }),
  }
  const request = readers[wire.name]?.(body, tag) ?? null
  if (request === null) return null
  return { request, target: { ...tag, model: request.model, options: request.options } }
}
