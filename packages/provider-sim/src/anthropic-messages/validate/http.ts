/** HTTP rules: what is decided from the request line, the headers and the size of the body. */
import { headerOf } from "../../exchange.ts"
import type { SimRequest } from "../../exchange.ts"
import { invalid, refusal } from "../api-error.ts"
import { facts } from "../facts.ts"
import type { Verdict } from "../../sim-wire.ts"

export function checkHttp(request: SimRequest, apiKeys: readonly string[] | undefined): Verdict {
  // That a wrong method is answered like an unknown path is assumed.
  if (request.method.toUpperCase() !== "POST") return notFound
  return checkKey(request, apiKeys) ?? checkHeaders(request) ?? checkSize(request)
}

/** documented: 404 is `not_found_error`. */
export const notFound = refusal(404, "not_found_error", facts.notFound)

/** documented: a list with commas. */
export function betasOf(request: SimRequest): readonly string[] {
  const list = headerOf(request.headers, "anthropic-beta") ?? ""
  return list
    .split(",")
    .map((beta) => beta.trim())
    .filter((beta) => beta !== "")
}

function checkKey(request: SimRequest, apiKeys: readonly string[] | undefined): Verdict {
  const bearer = /^Bearer\s+(.+)$/i.exec(headerOf(request.headers, "authorization") ?? "")?.[1]
  const key = headerOf(request.headers, "x-api-key") ?? bearer
  if (key === undefined && apiKeys === undefined) return undefined
  if (key === undefined || key === "") return refusal(401, "authentication_error", facts.keyMissing)
  if (apiKeys !== undefined && !apiKeys.includes(key)) {
    return refusal(401, "authentication_error", facts.keyInvalid)
  }
  return undefined
}

function checkHeaders(request: SimRequest): Verdict {
  const version = headerOf(request.headers, "anthropic-version")
  // recorded: the header is required. The wording for an unknown version is assumed.
  if (version === undefined || version === "") return invalid(facts.versionMissing)
  if (!facts.versionPattern.test(version)) return invalid(facts.versionUnknown(version))
  const strange = betasOf(request).filter((beta) => !facts.betaPattern.test(beta))
  if (strange.length > 0) return invalid(facts.betaUnknown(strange.map((one) => `\`${one}\``).join(", ")))
  // documented: the body is JSON and says so. The wording is assumed.
  const type = headerOf(request.headers, "content-type") ?? ""
  if (!/^application\/json\s*(;|$)/i.test(type)) return invalid(facts.contentType)
  return undefined
}

function checkSize(request: SimRequest): Verdict {
  // documented: 413 `request_too_large`.
  if (request.body.length <= facts.bodyBytesMax) return undefined
  return refusal(413, "request_too_large", facts.bodyTooLarge)
}
