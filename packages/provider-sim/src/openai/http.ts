/** HTTP rules of OpenAI: request line, key, content type and size. */
import { headerOf, pathOf } from "../exchange.ts"
import type { SimRequest } from "../exchange.ts"
import type { Verdict } from "../sim-wire.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

export function checkHttp(request: SimRequest, apiKeys: readonly string[] | undefined): Verdict {
  const method = request.method.toUpperCase()
  // recorded: 404 for a URL. That a wrong method is answered alike is assumed.
  if (method !== "POST") return { ...invalid(facts.urlUnknown(method, pathOf(request))), status: 404 }
  return checkKey(request, apiKeys) ?? checkContent(request)
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
