/**
 * The handlers of one group of the contract as routes.
 *
 * What reads and writes an operation's values is made at its first request, not when the router is:
 * an embedded host starts with every command, and a command asks two or three operations of many.
 */
import { strict as assert } from "node:assert"
import { type Context, Effect, type Layer } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { type HttpApi, HttpApiBuilder, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { HoldfastApi } from "@holdfast/protocol/api"
import type { Authorization, RequestCheck } from "@holdfast/protocol/middleware"

type Groups = typeof HoldfastApi extends HttpApi.HttpApi<string, infer Known> ? Known : never
type GroupName = HttpApiGroup.Identifier<Groups>
type EndpointOf<Group extends GroupName> = HttpApiGroup.EndpointsWithIdentifier<Groups, Group>

type OperationHandler<Endpoint extends HttpApiEndpoint.Constraint> = HttpApiEndpoint.Handler<
  Endpoint,
  HttpApiEndpoint.MiddlewareError<Endpoint>,
  never
>

interface RouteOptions {
  readonly uninterruptible?: boolean
}

/** One for every operation of the group. */
export type GroupHandlers<Group extends GroupName> = {
  readonly [Endpoint in EndpointOf<Group> as Endpoint["identifier"]]:
    | OperationHandler<Endpoint>
    | { readonly handler: OperationHandler<Endpoint>; readonly options: RouteOptions }
}

/** What changes something runs to its end even if the caller hangs up. */
export const toTheEnd = { uninterruptible: true } as const satisfies RouteOptions

type Middleware = Authorization | RequestCheck
type Answering = Effect.Effect<HttpServerResponse.HttpServerResponse>

/** Of any operation: the types above have seen to what it is. */
type Given = object | { readonly handler: object; readonly options: RouteOptions }

export const groupRoutes = <Group extends GroupName>(
  group: Group,
  handlers: NoInfer<GroupHandlers<Group>>,
): Layer.Layer<never, never, HttpRouter.HttpRouter | Middleware> =>
  HttpRouter.use((router) =>
    Effect.flatMap(Effect.context<Middleware>(), (services) =>
      router.addAll(
        Object.entries<Given>(handlers).map(([name, given]) => lazyRoute(group, name, given, services)),
      ),
    ),
  )

function lazyRoute(
  group: GroupName,
  name: string,
  given: Given,
  services: Context.Context<Middleware>,
): HttpRouter.Route {
  const endpoints: Readonly<Record<string, HttpApiEndpoint.Top>> = HoldfastApi.groups[group].endpoints
  const endpoint = endpoints[name]
  assert(endpoint, `the contract has ${group}.${name}`)
  const { handler, options } = "handler" in given ? given : { handler: given, options: {} }
  const making = HttpApiBuilder.endpoint(HoldfastApi, group as never, name as never, handler as never)
  let made: Answering | undefined
  const answering = Effect.suspend(() => {
    made ??= Effect.runSync(Effect.provideContext(making as Effect.Effect<Answering>, services))
    return made
  })
  return HttpRouter.route(endpoint.method, endpoint.path as HttpRouter.PathInput, answering, options)
}
