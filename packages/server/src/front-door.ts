/**
 * The front door: stands before every route, also those that do not exist.
 *
 *   request ──▶ caller let in? ──▶ size and type taken? ──▶ route ──▶ answer
 *     │            401, 403           413, 415                └─▶ 404, 400, 413, 500
 *     └─ preflight of an allowed page ──▶ 204
 *
 * Whatever goes wrong outside an endpoint's declared failures is given its typed form here. A
 * defect is told to the operator in full and to the caller by a reference only.
 */
import { randomUUID } from "node:crypto"
import { ByteSize, Cause, Effect, Schema, Semaphore } from "effect"
import {
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
} from "effect/http"
import {
  ContentTypeRefused,
  failureStatus,
  InternalFailure,
  RequestTooLarge,
  RouteNotFound,
  TransportFailure,
} from "@holdfast/protocol/error"
import { withoutAnySecrets } from "@holdfast/core/config/credentials/credential"
import { InvalidRequest } from "@holdfast/schema/error"
import { bodyBytesMax, bytesMaxOf, tooLarge } from "./body-limit.ts"
import { type CallerPolicy, judgeAddress, judgeCaller } from "./caller.ts"
import { answerPreflight, forOrigin } from "./cross-origin.ts"
import { DirectRequest } from "./direct-request.ts"
import { docsPaths } from "./docs-page.ts"
import { makeRequestWatch, type RequestWatchOptions } from "./request-watch.ts"

/** Requests above `bodyBytesMax` that are held in memory at once; more wait, and their senders with them. */
const largeBodiesMax = 2

/** Holds what may not be sent: for the operator's own records. */
export interface Defect {
  readonly ref: string
  readonly detail: string
}

export interface FrontDoorOptions extends RequestWatchOptions {
  readonly policy: CallerPolicy
  /** Hidden in what the operator is told. */
  readonly token: string
  readonly onDefect: (defect: Defect) => void
}

export const frontDoor = ({ policy, token, onDefect, ...watching }: FrontDoorOptions) => {
  const permits = Semaphore.makeUnsafe(largeBodiesMax)
  const watch = makeRequestWatch(watching)
  const tell = ({ ref, detail }: Defect) => onDefect({ ref, detail: withoutAnySecrets(detail, [token]) })
  return HttpRouter.middleware(
    (route) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const told = answerCaller(request, policy)
        if (told !== null) return yield* watch(request, Effect.succeed(forOrigin(told, request, policy)))
        // It counts its own bytes.
        const limited =
          request.source instanceof DirectRequest
            ? route
            : Effect.provideService(
                route,
                HttpIncomingMessage.MaxBodySize,
                ByteSize.bytes(bytesMaxOf(request)),
              )
        const answering = Effect.catchCause(
          isLarge(request) ? permits.withPermit(limited) : limited,
          (cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.failCause(cause)
              : Effect.sync(() => respond(failureOf(cause, request, tell))),
        )
        return forOrigin(yield* watch(request, answering), request, policy)
      }),
    { global: true },
  )
}

/** What is answered without a look at any route, or null. */
function answerCaller(
  request: HttpServerRequest.HttpServerRequest,
  policy: CallerPolicy,
): HttpServerResponse.HttpServerResponse | null {
  const caller = callerOf(request)
  const preflight = answerPreflight(request, caller, policy)
  if (preflight !== null) return preflight
  const judge = isOpen(request) ? judgeAddress : judgeCaller
  const refusal = judge(caller, policy) ?? judgePayload(request)
  return refusal === null ? null : respond(refusal)
}

/** What holds no data is shown without a token: the contract, and its page. */
const openPaths: ReadonlySet<string> = new Set(["/openapi.json", ...docsPaths])

const isOpen = ({ method, url }: HttpServerRequest.HttpServerRequest): boolean =>
  (method === "GET" || method === "HEAD") && openPaths.has(url.replace(/\?.*$/s, ""))

/** In memory there may be no Host header; then the host of the URL is the one that was asked. */
const callerOf = ({ headers, originalUrl }: HttpServerRequest.HttpServerRequest) => ({
  host: headers["host"] ?? URL.parse(originalUrl)?.host ?? null,
  origin: headers["origin"] ?? null,
  authorization: headers["authorization"] ?? null,
})

/** What can be said of a payload before it is read. */
function judgePayload(request: HttpServerRequest.HttpServerRequest): TransportFailure | null {
  const { headers } = request
  const bytesMax = bytesMaxOf(request)
  if (Number(headers["content-length"] ?? 0) > bytesMax) return tooLarge(bytesMax)
  const type = headers["content-type"]
  if (type === undefined || /^application\/json *(;|$)/i.test(type)) return null
  return new ContentTypeRefused({ message: "Send JSON, with the content type application/json." })
}

/** Whether it may hold more than the common limit; without a length it may. */
const isLarge = (request: HttpServerRequest.HttpServerRequest): boolean =>
  bytesMaxOf(request) > bodyBytesMax &&
  !(Number(request.headers["content-length"] ?? Infinity) <= bodyBytesMax)

function failureOf(
  cause: Cause.Cause<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  onDefect: FrontDoorOptions["onDefect"],
): TransportFailure {
  const known = cause.reasons
    .map((reason) => knownFailure(reason, bytesMaxOf(request)))
    .find((failure) => failure !== null)
  if (known !== undefined) return known
  const ref = randomUUID()
  onDefect({ ref, detail: `${request.method} ${request.url}\n${Cause.pretty(cause)}` })
  return new InternalFailure({ ref, message: `The server failed. Its records say why, under ${ref}.` })
}

/** What the router and the body's reader report by themselves. */
function knownFailure(reason: Cause.Reason<unknown>, bytesMax: number): TransportFailure | null {
  const error = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : null
  if (!HttpServerError.isHttpServerError(error)) return null
  switch (error.reason._tag) {
    case "RouteNotFound":
      return new RouteNotFound({ message: "There is nothing at this path and method; see /openapi.json." })
    case "RequestParseError":
      if (error.reason.cause instanceof InvalidRequest) return error.reason.cause
      return error.reason.reason === "BodyTooLarge" || error.reason.cause instanceof RequestTooLarge
        ? tooLarge(bytesMax)
        : new InvalidRequest({ part: "payload", message: "The payload broke off. Send it again." })
    default:
      return null
  }
}

const encodeFailure = Schema.encodeSync(TransportFailure)

const respond = (failure: TransportFailure): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(encodeFailure(failure), {
    status: failureStatus[failure._tag],
    ...(failure._tag === "Unauthorized" && { headers: { "www-authenticate": "Bearer" } }),
  })
