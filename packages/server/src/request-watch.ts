/**
 * Around every request: a span where traces are wanted, and a word to the operator who asked for it.
 *
 * Both call a request by the pattern of its path and hold nothing that it says. What the request
 * starts, as the turn that a prompt wakes, belongs to its span.
 */
import { Clock, Context, Effect, Exit, Option, Tracer } from "effect"
import { type HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "effect/http"
import { routePattern } from "./route-pattern.ts"

/** A request that was answered; for a stream, one whose answer has begun. */
export interface ServedRequest {
  readonly method: string
  /** The pattern of its path; `none` where there is nothing. */
  readonly route: string
  readonly status: number
  readonly durationMs: number
}

export interface RequestWatchOptions {
  readonly tracer?: Tracer.Tracer
  readonly onRequest?: (request: ServedRequest) => void
}

type Answering<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Status of a request whose caller left before its answer; no caller ever sees it. */
const callerGone = 499

export function makeRequestWatch({ tracer, onRequest }: RequestWatchOptions) {
  return <E, R>(
    request: HttpServerRequest.HttpServerRequest,
    answering: Answering<E, R>,
  ): Answering<E, R> => {
    if (tracer === undefined && onRequest === undefined) return answering
    return Effect.gen(function* () {
      const { method } = request
      const route = routePattern(method, request.url)
      const startedAt = yield* Clock.currentTimeNanos
      const span = tracer && startSpan(tracer, request, route, startedAt)
      const within =
        span === undefined ? answering : Effect.provideService(answering, Tracer.ParentSpan, span)
      return yield* Effect.onExit(within, (exit) =>
        Effect.map(Clock.currentTimeNanos, (endedAt) => {
          const status = Exit.isSuccess(exit) ? exit.value.status : callerGone
          span?.attribute("http.response.status_code", status)
          span?.end(endedAt, status >= 500 ? failed(status) : Exit.void)
          onRequest?.({ method, route, status, durationMs: Number(endedAt - startedAt) / 1e6 })
        }),
      )
    })
  }
}

function startSpan(
  tracer: Tracer.Tracer,
  { method, headers }: HttpServerRequest.HttpServerRequest,
  route: string,
  startTime: bigint,
): Tracer.Span {
  const parent = HttpTraceContext.fromHeaders(headers)
  const span = tracer.span({
    name: `${method} ${route}`,
    parent,
    annotations: Context.empty(),
    links: [],
    startTime,
    kind: "server",
    root: Option.isNone(parent),
    sampled: Option.match(parent, { onNone: () => true, onSome: ({ sampled }) => sampled }),
  })
  span.attribute("http.request.method", method)
  span.attribute("http.route", route)
  return span
}

const failed = (status: number): Exit.Exit<never, unknown> =>
  Exit.fail({ name: "ServerError", message: String(status) })
