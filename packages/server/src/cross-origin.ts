/**
 * Pages of other origins, as browsers ask for them (AU1): an allowed one is told that it may send its
 * request, and that it may read the answer. No cookie is ever taken, so none is allowed.
 *
 * A preflight carries no token, and none is asked for: its answer says nothing but what was allowed
 * when the server was started. Pages that were not allowed meet the refusal of every other request.
 */
import { HttpServerResponse } from "effect/http"
import { fileHeader } from "@holdfast/protocol/groups/files"
import { mediaHeader } from "@holdfast/protocol/groups/sessions"
import { contractHeader } from "@holdfast/protocol/version"
import { type Caller, type CallerPolicy, isOriginAllowed, judgeAddress } from "./caller.ts"

interface Asked {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** How long a browser may remember the answer. */
const preflightSeconds = 600

const preflightHeaders = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": `authorization, content-type, if-none-match, last-event-id, traceparent, ${contractHeader}`,
  "access-control-max-age": String(preflightSeconds),
}

/** What a page may read of an answer beside its status, its body and the headers that are always shown. */
const exposedHeaders = `etag, www-authenticate, ${mediaHeader}, ${fileHeader}`

/** The question of a browser whether a page may send its request; null if this is none of an allowed page. */
export function answerPreflight(
  { method, headers }: Asked,
  caller: Caller,
  policy: CallerPolicy,
): HttpServerResponse.HttpServerResponse | null {
  if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return null
  if (judgeAddress(caller, policy) !== null || !isOriginAllowed(caller.origin, policy)) return null
  return HttpServerResponse.empty({ status: 204, headers: preflightHeaders })
}

/** The answer as the page may read it; a cache must not hand it to another one. */
export function forOrigin(
  answer: HttpServerResponse.HttpServerResponse,
  { headers }: Pick<Asked, "headers">,
  policy: CallerPolicy,
): HttpServerResponse.HttpServerResponse {
  if (policy.allowedOrigins.length === 0) return answer
  const { vary } = answer.headers
  const varying = HttpServerResponse.setHeader(
    answer,
    "vary",
    vary === undefined ? "origin" : `${vary}, origin`,
  )
  const origin = headers["origin"] ?? null
  if (origin === null || !isOriginAllowed(origin, policy)) return varying
  return HttpServerResponse.setHeaders(varying, {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": exposedHeaders,
  })
}
