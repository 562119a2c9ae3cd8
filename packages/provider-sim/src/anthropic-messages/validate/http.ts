/** HTTP rules: what is decided from the request line, the headers and the size of the body. */
import { headerOf, pathOf } from "../../exchange.ts"
import type { SimRequest } from "../../exchange.ts"
import { invalid, refusal } from "../api-error.ts"
import { facts } from "../facts.ts"
import type { Verdict } from "../../sim-wire.ts"

export function checkHttp(request: SimRequest, apiKeys: readonly string[] | undefined): Verdict {
  // documented: 404 is `not_found_error`. That a wrong method is answered alike is assumed.
  if (request.method.toUpperCase() !== "POST" || pathOf(request) !== "/v1/messages") {
    return refusal(404, "not_found_error", facts.notFound)
  }
  return checkKey(request, apiKeys) ?? checkHeaders(request) ?? checkSize(request)
}

function checkKey(request: SimRequest, apiKeys: readonly string[] | undefined): Verdict {
  const key = headerOf(request.headers, "x-api-key")
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
  if (version !== "2023-06-01") return invalid(facts.versionUnknown(version))
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
