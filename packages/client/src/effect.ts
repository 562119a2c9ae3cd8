/**
 * The Effect client (CL3, CL5): decoded and branded values, streams as Stream, failures typed.
 *
 * It takes HttpClient from its environment and adds nothing to it: no retries, no limits, no headers
 * but the token and the version of its contract. Interrupting a fiber aborts its request.
 */
import { Layer } from "effect"
import { FetchHttpClient, type HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { Authorization } from "@holdfast/protocol/middleware"
import { contractHeader, contractVersion } from "@holdfast/protocol/version"

export { type HoldfastEffectClient, makeEffectClient } from "./generated/effect-client.ts"

/** What stands before every operation on this side: the token, and which contract this client was made from (CO6). */
export const withToken = (token: string): Layer.Layer<HttpApiMiddleware.ForClient<Authorization>> =>
  HttpApiMiddleware.layerClient(Authorization, ({ request, next }) =>
    next(
      HttpClientRequest.setHeader(
        HttpClientRequest.bearerToken(request, token),
        contractHeader,
        contractVersion,
      ),
    ),
  )

/** Everything that `makeEffectClient` asks of its environment, over one function and with one token. */
export const overFetch = (
  fetch: typeof globalThis.fetch,
  token: string,
): Layer.Layer<HttpClient.HttpClient | HttpApiMiddleware.ForClient<Authorization>> =>
  Layer.merge(
    Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, fetch)),
    withToken(token),
  )
