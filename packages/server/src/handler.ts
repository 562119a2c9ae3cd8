/**
 * The contract on a runtime, as one function from Request to Response.
 *
 * No listener is needed: whoever has a Request, from a socket or made in memory, gets the same
 * codecs, middleware and failures (CO1, EM1). An embedded host asks it in memory, and takes the items
 * of a stream without the bytes in between (event-stream.ts).
 */
import { strict as assert } from "node:assert"
import { randomBytes } from "node:crypto"
import { setMaxListeners } from "node:events"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeLocations } from "@holdfast/core/caller/locations"
import { makeCursors } from "@holdfast/core/page/cursor"
import { makeInstanceLists } from "@holdfast/core/page/instance-lists"
import { HoldfastApi } from "@holdfast/protocol/api"
import { Authorization } from "@holdfast/protocol/middleware"
import { tokenMatcher, unauthorized } from "./caller.ts"
import { docsRoutes } from "./docs-page.ts"
import { type Defect, frontDoor } from "./front-door.ts"
import { configHandlers } from "./handlers/config.ts"
import { eventsHandlers } from "./handlers/events.ts"
import { filesHandlers } from "./handlers/files.ts"
import { healthHandlers } from "./handlers/health.ts"
import { locationsHandlers } from "./handlers/locations.ts"
import { modelsHandlers } from "./handlers/models.ts"
import { providersHandlers } from "./handlers/providers.ts"
import { ptysHandlers } from "./handlers/ptys.ts"
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
  /** Told of each answer 500, with the detail that the caller does not get. */
  readonly onDefect?: (defect: Defect) => void
}

export type WebHandler = (request: Request) => Promise<Response>

export interface Handler {
  readonly handler: WebHandler
  /** WebSockets are taken in here, by a ticket (PT1). */
  readonly upgrade: UpgradeHandler
  /** Ends every stream, the live ones with `disposed`, and answers those who wait. A repeat is safe. */
  readonly endStreams: () => void
  /** Ends streams and releases what the router holds; the runtime stays the caller's. */
  readonly dispose: () => Promise<void>
}

/** Longest id that reaches the runtime, which says what is wrong with it; longer paths are unknown. */
const idLengthMax = 1_024

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
  const routes = HttpApiBuilder.layer(HoldfastApi, { openapiPath: "/openapi.json" }).pipe(
    Layer.provide([
      healthHandlers(runtime, options.version),
      sessionsHandlers(runtime, cursors, { locations, closing: closing.signal }),
      eventsHandlers(runtime, closing.signal),
      modelsHandlers(runtime, lists),
      locationsHandlers(locations, lists),
      providersHandlers(lists),
      filesHandlers(locations, lists),
      configHandlers(runtime, locations),
      ptysHandlers(runtime, cursors, {
        defaultDirectory,
        overlay: (directory) => Effect.promise(() => terminalOverlay(directory)),
        tickets,
        closing: closing.signal,
      }),
    ]),
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
  const { handler, dispose } = HttpRouter.toWebHandler(routes, {
    disableLogger: true,
    // Nothing but the paths of the contract, letter for letter (CO1).
    routerConfig: { maxParamLength: idLengthMax, caseSensitive: true, ignoreTrailingSlash: false },
  })
  const endStreams = (): void => closing.abort()
  return {
    handler: (request) => handler(request),
    upgrade: upgradeHandler(runtime, { policy, tickets, closing: closing.signal, onDefect }),
    endStreams,
    dispose: () => {
      endStreams()
      gauges.close()
      return dispose()
    },
  }
}

/** The front door has asked already; the contract names this check, so it is real here too (CO6). */
const authorization = (isToken: (given: string) => boolean) =>
  Layer.succeed(Authorization, {
    bearer: (route, { credential }) =>
      isToken(Redacted.value(credential)) ? route : Effect.fail(unauthorized()),
  })
