/**
 * The contract on a runtime, as one function from a request to its answer.
 *
 * No listener is needed: a request from a socket, one made in memory and a web Request get the same
 * codecs, middleware and failures (CO1, EM1). An embedded host asks it in memory, and takes the items
 * of a stream without the bytes in between (event-stream.ts).
 */
import { strict as assert } from "node:assert"
import { randomBytes } from "node:crypto"
import { setMaxListeners } from "node:events"
import { Effect, Layer, type Logger, Redacted } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { makeLocations } from "@holdfast/core/caller/locations"
import { makeCursors } from "@holdfast/core/page/cursor"
import { makeInstanceLists } from "@holdfast/core/page/instance-lists"
import { Authorization } from "@holdfast/protocol/middleware"
import { makeAnswering } from "./answering.ts"
import { tokenMatcher, unauthorized } from "./caller.ts"
import type { DirectRequest } from "./direct-request.ts"
import { docsRoutes } from "./docs-page.ts"
import { itemStreamOf } from "./event-stream.ts"
import { type Defect, frontDoor } from "./front-door.ts"
import { configHandlers } from "./handlers/config.ts"
import { eventsHandlers } from "./handlers/events.ts"
import { filesHandlers } from "./handlers/files.ts"
import { healthHandlers } from "./handlers/health.ts"
import { locationsHandlers } from "./handlers/locations.ts"
import { memoriesHandlers, notesHandlers } from "./handlers/memories.ts"
import { workspacesHandlers } from "./handlers/workspaces.ts"
import { modelsHandlers } from "./handlers/models.ts"
import { asksHandlers } from "./handlers/asks.ts"
import { providersHandlers } from "./handlers/providers.ts"
import { ptysHandlers } from "./handlers/ptys.ts"
import { dreamsHandlers } from "./handlers/dreams.ts"
import { searchHandlers } from "./handlers/search.ts"
import { sessionsHandlers } from "./handlers/sessions.ts"
import type { HostedRuntime } from "./hosted-runtime.ts"
import { requestCheck } from "./request-check.ts"
import type { RequestWatchOptions } from "./request-watch.ts"
import { type Gauges, makeGauges } from "./telemetry/gauges.ts"
import { metricsRoute } from "./telemetry/scrape.ts"
import { Tickets } from "./terminals/tickets.ts"
import { upgradeHandler, type UpgradeHandler } from "./terminals/upgrade.ts"

export interface HandlerOptions extends RequestWatchOptions {
  /** Required of every request for data (AU1). */
  readonly token: string
  /** CO3: where a Session works that names no directory. */
  readonly defaultDirectory: string
  readonly version: string
  /** Names that are answered to beside those of loopback: `host` with any port, `host:port` with that one. */
  readonly allowedHosts?: readonly string[]
  /** Variables for a terminal in this directory, above those of its caller (PT1); none unless given. */
  readonly terminalOverlay?: (directory: string) => Promise<Readonly<Record<string, string>>>
  /** Origins whose pages may send requests and read their answers, as `https://app.example`; none unless given. */
  readonly allowedOrigins?: readonly string[]
  /** What `/metrics` shows beside the counters; its own unless given. */
  readonly gauges?: Gauges
  /** What is logged goes to these; to standard error unless given. */
  readonly loggers?: ReadonlySet<Logger.Logger<unknown, unknown>>
  /** Told of each answer 500, with the detail that the caller does not get. */
  readonly onDefect?: (defect: Defect) => void
}

export type WebHandler = (request: Request) => Promise<Response>

/** To what the framework answers with; `itemStreamOf` knows a stream. */
export type DirectHandler = (request: DirectRequest) => Promise<HttpServerResponse.HttpServerResponse>

export interface Handler {
  readonly answer: DirectHandler
  readonly handler: WebHandler
  /** WebSockets are taken in here, by a ticket (PT1). */
  readonly upgrade: UpgradeHandler
  /** Ends every stream, the live ones with `disposed`, and answers those who wait. A repeat is safe. */
  readonly endStreams: () => void
  /** Ends streams and releases what the router holds; the runtime stays the caller's. */
  readonly dispose: () => Promise<void>
}

/** Nothing but the paths of the contract, letter for letter (CO1). */
const routerConfig = {
  /** Longest id that reaches the runtime, which says what is wrong with it; longer paths are unknown. */
  maxParamLength: 1_024,
  caseSensitive: true,
  ignoreTrailingSlash: false,
} as const

export function makeHandler(runtime: HostedRuntime, options: HandlerOptions): Handler {
  assert(/^\S+$/.test(options.token), "the token is empty or holds white space")
  const isToken = tokenMatcher(options.token)
  const closing = new AbortController()
  // Each open stream listens to it.
  setMaxListeners(Infinity, closing.signal)
  const tickets = new Tickets({
    nowMs: () => performance.now(),
    secret: () => randomBytes(24).toString("base64url"),
  })
  const cursors = makeCursors(options.token)
  const { defaultDirectory, terminalOverlay = () => Promise.resolve({}) } = options
  const { allowedHosts = [], allowedOrigins = [], onDefect = () => {}, tracer, onRequest } = options
  const policy = { isToken, allowedHosts, allowedOrigins }
  const gauges = options.gauges ?? makeGauges(runtime, options.version)
  const locations = makeLocations(runtime, defaultDirectory)
  const lists = makeInstanceLists(runtime, locations, cursors)
  const routes = Layer.mergeAll(
    healthHandlers(runtime, options.version),
    sessionsHandlers(runtime, cursors, { locations, closing: closing.signal }),
    asksHandlers(runtime, cursors),
    eventsHandlers(runtime, closing.signal),
    modelsHandlers(runtime, lists),
    locationsHandlers(locations, lists),
    providersHandlers(lists),
    filesHandlers(locations, lists),
    searchHandlers(runtime, locations),
    dreamsHandlers(runtime, locations),
    memoriesHandlers(runtime, locations, cursors),
    notesHandlers(runtime, locations, cursors),
    workspacesHandlers(runtime, locations),
    configHandlers(runtime, locations),
    ptysHandlers(runtime, cursors, {
      locations,
      overlay: (directory) => Effect.promise(() => terminalOverlay(directory)),
      tickets,
      closing: closing.signal,
    }),
  ).pipe(
    Layer.provide([authorization(isToken), requestCheck]),
    Layer.merge(docsRoutes),
    Layer.merge(metricsRoute(runtime, gauges)),
    Layer.merge(
      frontDoor({
        policy,
        token: options.token,
        onDefect,
        ...(tracer && { tracer }),
        ...(onRequest && { onRequest }),
      }),
    ),
    Layer.provide(HttpServer.layerServices),
  )
  const router = Layer.provide(HttpRouter.layer, Layer.succeed(HttpRouter.RouterConfig, routerConfig))
  const { answer, dispose } = makeAnswering(Layer.provideMerge(routes, router), options.loggers)
  const endStreams = (): void => closing.abort()
  return {
    answer: (request) => answer(request.asRequest()),
    handler: async (request) => webResponse(await answer(request), request),
    upgrade: upgradeHandler(runtime, { policy, tickets, closing: closing.signal, onDefect }),
    endStreams,
    dispose: () => {
      endStreams()
      gauges.close()
      return dispose()
    },
  }
}

/** As whoever speaks `fetch` takes it. */
function webResponse(answer: HttpServerResponse.HttpServerResponse, { method, signal }: Request): Response {
  const withoutBody = method === "HEAD"
  const stream = itemStreamOf(answer)
  if (withoutBody) stream?.leave()
  const shown =
    stream === null || withoutBody
      ? answer
      : HttpServerResponse.raw(stream.bytes(), { status: answer.status, headers: answer.headers })
  return HttpServerResponse.toWeb(shown, { withoutBody, signal })
}

/** The front door has asked already; the contract names this check, so it is real here too (CO6). */
const authorization = (isToken: (given: string) => boolean) =>
  Layer.succeed(Authorization, {
    bearer: (route, { credential }) =>
      isToken(Redacted.value(credential)) ? route : Effect.fail(unauthorized()),
  })
