/** HTTP rules: what is decided from the request line, the headers and the size of the body. */
import { headerOf, pathOf } from "../../exchange.ts"
import type { SimRequest } from "../../exchange.ts"
import { invalid, refusal } from "../api-error.ts"
import type { Verdict } from "./shape.ts"

/** documented: 32 MB for the Messages endpoint; that a megabyte is 2^20 bytes is assumed. */
const bodyBytesMax = 32 * 1024 * 1024

export function checkHttp(request: SimRequest, apiKeys: readonly string[] | undefined): Verdict {
  // documented: 404 is `not_found_error`. That a wrong method is answered alike is assumed.
  if (request.method.toUpperCase() !== "POST" || pathOf(request) !== "/v1/messages") {
    return refusal(404, "not_found_error", "Not Found")
  }
  return checkKey(request, apiKeys) ?? checkHeaders(request) ?? checkSize(request)
}

function checkKey(request: SimRequest, apiKeys: readonly string[] | undefined): Verdict {
  const key = headerOf(request.headers, "x-api-key")
  // recorded: both texts.
  if (key === undefined || key === "") {
    return refusal(401, "authentication_error", "x-api-key header is required")
  }
  if (apiKeys !== undefined && !apiKeys.includes(key)) {
    return refusal(401, "authentication_error", "invalid x-api-key")
  }
  return undefined
}

function checkHeaders(request: SimRequest): Verdict {
  const version = headerOf(request.headers, "anthropic-version")
  // recorded: the header is required. The wording for an unknown version is assumed.
  if (version === undefined || version === "") return invalid("anthropic-version: header is required")
  if (version !== "2023-06-01") return invalid(`anthropic-version: "${version}" is not a valid version`)
  // documented: the body is JSON and says so. The wording is assumed.
  const type = headerOf(request.headers, "content-type") ?? ""
  if (!/^application\/json\s*(;|$)/i.test(type)) return invalid("content-type: must be application/json")
  return undefined
}

function checkSize(request: SimRequest): Verdict {
  // documented: 413 `request_too_large`.
  if (request.body.length <= bodyBytesMax) return undefined
  return refusal(413, "request_too_large", "Request exceeds the maximum size")
}
