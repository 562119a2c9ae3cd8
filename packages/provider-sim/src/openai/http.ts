/** HTTP rules of OpenAI: request line, key, content type and size. */
import { headerOf, pathOf } from "../exchange.ts"
import type { SimRequest } from "../exchange.ts"
import type { Refusal, Verdict } from "../sim-wire.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

export function checkHttp(request: SimRequest, apiKeys: readonly string[] | undefined): Verdict {
  // That a wrong method is answered like an unknown URL is assumed.
  if (request.method.toUpperCase() !== "POST") return urlUnknown(request)
  return checkKey(request, apiKeys) ?? checkContent(request)
}

/** recorded: 404 for a URL. */
export function urlUnknown(request: SimRequest): Refusal {
  return { ...invalid(facts.urlUnknown(request.method.toUpperCase(), pathOf(request))), status: 404 }
}

function checkKey(request: SimRequest, apiKeys: readonly string[] | undefined): Verdict {
  const header = headerOf(request.headers, "authorization")
  if (header === undefined && apiKeys === undefined) return undefined
  const key = /^Bearer\s+(.+)$/i.exec(header ?? "")?.[1]
  if (key === undefined) return { ...invalid(facts.keyMissing), status: 401 }
  if (apiKeys === undefined || apiKeys.includes(key)) return undefined
  return { ...invalid(facts.keyWrong(masked(key)), null, "invalid_api_key"), status: 401 }
}

/** recorded: the ends of a long key are shown; here nothing but its length is. */
function masked(key: string): string {
  return "*".repeat(Math.min(key.length, 40))
}

function checkContent(request: SimRequest): Verdict {
  const type = headerOf(request.headers, "content-type") ?? ""
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    return invalid(facts.contentType(type), null, "unsupported_content_type")
  }
  return request.body.length <= facts.bodyBytesMax
    ? undefined
    : { ...invalid(facts.bodyTooLarge), status: 413 }
}
