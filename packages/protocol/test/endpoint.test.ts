/** Endpoints that are made when they are asked about: the same as those of the framework, only later. */
import { Context, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { expect, test } from "vitest"
import { HoldfastApi } from "../src/api.ts"
import * as lazily from "../src/endpoint.ts"
import { RequestCheck } from "../src/middleware.ts"

const options = (onRead: () => void) => ({
  params: { id: Schema.String },
  payload: Schema.Struct({ name: Schema.String }),
  get success() {
    onRead()
    return HttpApiSchema.NoContent
  },
})

const declared = (post: typeof HttpApiEndpoint.post, onRead: () => void) =>
  post("rename", "/thing/:id", options(onRead))
    .annotate(OpenApi.Identifier, "things.rename")
    .middleware(RequestCheck)
    .prefix("/api")

test("[CO1] name, method and path are there at once, the rest at the first look", () => {
  let reads = 0
  const endpoint = declared(lazily.post, () => reads++)
  expect([endpoint.identifier, endpoint.method, endpoint.path]).toEqual(["rename", "POST", "/api/thing/:id"])
  expect(reads).toBe(0)
  expect([endpoint.success.size, endpoint.payload.size]).toEqual([1, 1])
  expect(reads).toBe(1)
})

test("[CO1] it is the endpoint that the framework makes", () => {
  const [lazy, eager] = [declared(lazily.post, () => {}), declared(HttpApiEndpoint.post, () => {})]
  expect([...lazy.middlewares]).toEqual([...eager.middlewares])
  expect([...lazy.payload.keys()]).toEqual([...eager.payload.keys()])
  expect([lazy.query, lazy.headers, lazy.disableCodecs]).toEqual([
    eager.query,
    eager.headers,
    eager.disableCodecs,
  ])
  expect(Schema.toJsonSchemaDocument(lazy.params as Schema.Top)).toEqual(
    Schema.toJsonSchemaDocument(eager.params as Schema.Top),
  )
  expect(Context.get(lazy.annotations as Context.Context<OpenApi.Identifier>, OpenApi.Identifier)).toBe(
    "things.rename",
  )
})

test("[CO1] every operation of the contract is made so", () => {
  const atOnce = Object.values(HoldfastApi.groups).flatMap(({ identifier, endpoints }) =>
    Object.values<object>(endpoints)
      .filter((endpoint) => Object.hasOwn(endpoint, "success"))
      .map((endpoint) => `${identifier}.${(endpoint as { identifier: string }).identifier}`),
  )
  expect(atOnce).toEqual([])
})
