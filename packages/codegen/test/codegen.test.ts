/** The generator: what it makes of our contract, and what it refuses of others. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, expect, test } from "vitest"
import { HoldfastApi } from "../../protocol/src/index.ts"
import { effectFiles } from "../src/emit/effect.ts"
import { promiseFiles } from "../src/emit/promise.ts"
import { generatedFiles } from "../src/generated-files.ts"
import { reflect } from "../src/reflect.ts"

const root = join(import.meta.dirname, "../../..")

test("[CO2] what is committed is what the contract says", async () => {
  const files = await generatedFiles(HoldfastApi, root)
  for (const [path, text] of files)
    expect(
      readFileSync(join(root, path), "utf8") === text,
      `${path} is stale: run \`npm run codegen\`.`,
    ).toBe(true)
})

test("[CO2] the OpenAPI document and the Contract IR tell the same of every operation", () => {
  const { paths } = JSON.parse(readFileSync(join(root, "packages/protocol/openapi.json"), "utf8")) as Document
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody, responses }]) => ({
      name: operationId,
      route: `${method.toUpperCase()} ${path}`,
      parameters: parameters
        .map(({ in: place, name, required }) => `${place} ${name} ${required}`)
        .toSorted(),
      payload: requestBody !== undefined,
      statuses: Object.keys(responses).toSorted(),
    })),
  )
  const reflected = reflect(HoldfastApi).operations.map((operation) => ({
    name: `${operation.group}.${operation.name}`,
    route: `${operation.method} ${operation.path.replaceAll(/:(\w+)/g, "{$1}")}`,
    parameters: (["params", "query", "headers"] as const)
      .flatMap((part) => operation[part].map(({ name, optional }) => `${placeOf[part]} ${name} ${!optional}`))
      .toSorted(),
    payload: operation.payload.kind !== "none",
    statuses: [
      ...new Set([operation.status, ...operation.failures.map(({ status }) => status)].map(String)),
    ].toSorted(),
  }))
  const byName = (some: { readonly name: string }, other: { readonly name: string }) =>
    some.name < other.name ? -1 : 1
  expect(documented.toSorted(byName)).toEqual(reflected.toSorted(byName))
})

test("[CO5] groups and endpoints that the server calls otherwise change no client and no document", () => {
  const renamed = rename(HoldfastApi)
  expect(reflect(renamed).operations.map(({ inner }) => inner)).toContainEqual({
    group: "innerSessions",
    endpoint: "innerCreate",
  })
  expect(promiseFiles(reflect(renamed))).toEqual(promiseFiles(reflect(HoldfastApi)))
  expect(OpenApi.fromApi(renamed)).toEqual(OpenApi.fromApi(HoldfastApi))
  const methods = (api: typeof HoldfastApi) =>
    [...(effectFiles(reflect(api))["effect-client.ts"] ?? "").matchAll(/^ +(\w+): (?=[({])/gm)].map(
      ([, name]) => name,
    )
  expect(methods(renamed)).toEqual(methods(HoldfastApi))
  expect(methods(renamed)).toContain("switchModel")
})

/** The same contract, in which no group and no endpoint goes by the name that callers know. */
function rename(api: typeof HoldfastApi): typeof HoldfastApi {
  const groups = Object.values(api.groups).map((group) => {
    const endpoints = Object.values(group.endpoints as Readonly<Record<string, Named>>)
    return copy(group, {
      identifier: innerName(group),
      endpoints: keyed(endpoints.map((endpoint) => copy(endpoint, { identifier: innerName(endpoint) }))),
    })
  })
  return copy(api, { groups: keyed(groups) })
}

interface Named {
  readonly identifier: string
}

const keyed = (named: readonly Named[]) => Object.fromEntries(named.map((each) => [each.identifier, each]))

const innerName = ({ identifier }: Named): string =>
  `inner${identifier.charAt(0).toUpperCase()}${identifier.slice(1)}`

const copy = <A extends object>(original: A, changed: Readonly<Record<string, unknown>>): A =>
  Object.create(
    original,
    Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, { value }])),
  ) as A

const placeOf = { params: "path", query: "query", headers: "header" } as const

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
}

interface DocumentedOperation {
  readonly operationId: string
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly required: boolean }[]
  readonly requestBody?: object
  readonly responses: object
}

const apiOf = (endpoint: HttpApiEndpoint.Constraint, name = `things.${endpoint.identifier}`) =>
  HttpApi.make("test").add(
    HttpApiGroup.make("things")
      .add((endpoint as HttpApiEndpoint.Top).annotate(OpenApi.Identifier, name) as never)
      .annotate(OpenApi.Title, "things"),
  )

const operationOf = (endpoint: HttpApiEndpoint.Constraint) => reflect(apiOf(endpoint)).operations[0]

describe("[CO2] the Contract IR", () => {
  test("takes a number in a query for a number, and leaves optional fields out", () => {
    const query = { limit: Schema.optionalKey(Schema.FiniteFromString), name: Schema.String }
    const operation = operationOf(HttpApiEndpoint.get("list", "/thing", { query, success: Schema.String }))
    expect(operation?.query).toEqual([
      { name: "limit", type: { kind: "number" }, optional: true },
      { name: "name", type: { kind: "string" }, optional: false },
    ])
  })

  test("covers JSON, empty answers, bytes, byte streams both ways and events", () => {
    const kindOf = (success: Schema.Top) =>
      operationOf(HttpApiEndpoint.get("get", "/thing", { success }))?.answer.kind
    expect(kindOf(Schema.Struct({ id: Schema.String }))).toBe("json")
    expect(kindOf(HttpApiSchema.NoContent)).toBe("empty")
    expect(kindOf(Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()))).toBe("bytes")
    expect(kindOf(HttpApiSchema.StreamUint8Array())).toBe("byte-stream")
    expect(kindOf(HttpApiSchema.StreamSse({ data: Schema.Struct({ at: Schema.Number }) }))).toBe("events")
    const upload = HttpApiEndpoint.post("put", "/thing", { payload: HttpApiSchema.StreamUint8Array() })
    expect(operationOf(upload)?.payload.kind).toBe("byte-stream")
  })

  test("keeps the names of types, also of one that holds itself", () => {
    interface Tree {
      readonly children: readonly Tree[]
    }
    const Tree: Schema.Codec<Tree> = Schema.Struct({
      children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree)),
    }).annotate({ identifier: "Tree" })
    const { types } = reflect(apiOf(HttpApiEndpoint.get("get", "/tree", { success: Tree })))
    expect(types).toEqual([
      {
        name: "Tree",
        description: null,
        type: {
          kind: "object",
          fields: [
            {
              name: "children",
              type: { kind: "array", item: { kind: "named", name: "Tree" }, least: 0 },
              optional: false,
            },
          ],
        },
      },
    ])
  })

  const Named = (fields: Schema.Struct.Fields) => Schema.Struct(fields).annotate({ identifier: "Thing" })
  test.each<[string, HttpApiEndpoint.Constraint, RegExp]>([
    [
      "two types of one name",
      HttpApiEndpoint.get("get", "/thing", {
        success: Schema.Struct({ a: Named({ id: Schema.String }), b: Named({ id: Schema.Number }) }),
      }),
      /two types are called Thing/,
    ],
    [
      "a list whose items differ",
      HttpApiEndpoint.get("get", "/thing", {
        success: Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.Number]),
      }),
      /a list whose items differ/,
    ],
    [
      "a name that is given twice",
      HttpApiEndpoint.post("put", "/thing/:id", {
        params: { id: Schema.String },
        payload: Schema.Struct({ id: Schema.String }),
        success: HttpApiSchema.NoContent,
      }),
      /two inputs are called id/,
    ],
    [
      "an object in a query",
      HttpApiEndpoint.get("get", "/thing", {
        query: { filter: Schema.fromJsonString(Schema.Struct({ a: Schema.Number })) },
        success: Schema.String,
      }),
      /no text, number, yes or no/,
    ],
  ])("refuses %s, and says where it stands", (_, endpoint, message) => {
    expect(() => reflect(apiOf(endpoint))).toThrow(message)
    expect(() => reflect(apiOf(endpoint))).toThrow(/things\./)
  })

  test.each(["get", "other.get", "things.", "things.get.all"])(
    "[CO5] refuses an operation of the group things whose public name is %j",
    (name) => {
      const endpoint = HttpApiEndpoint.get("get", "/thing", { success: Schema.String })
      expect(() => reflect(apiOf(endpoint, name))).toThrow(/things\.get: no public name like things\.get/)
    },
  )

  test("[CO5] refuses a group without a public name", () => {
    const endpoint = HttpApiEndpoint.get("get", "/thing", { success: Schema.String })
    const api = HttpApi.make("test").add(HttpApiGroup.make("things").add(endpoint))
    expect(() => reflect(api)).toThrow(/things\.get: a group without a public name/)
  })
})
