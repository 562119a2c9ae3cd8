/**
 * What the clients send and take against what the contract says, operation by operation (CO6).
 *
 * Both are asked the same and answered the same, by a server that only notes and answers: so that a
 * route, a codec, a failure or a middleware that differs on one side shows.
 */
import { Effect, Layer, Schema, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { describe, expect, test } from "vitest"
import { type Contract, inputOf, type Operation, type Type } from "../../codegen/src/contract.ts"
import { reflect } from "../../codegen/src/reflect.ts"
import { HoldfastApi, TransportFailure } from "../../protocol/src/index.ts"
import { type HoldfastEffectClient, makeEffectClient, withToken } from "../src/effect.ts"
import { failureTags } from "../src/generated/failures.ts"
import { operations } from "../src/generated/operations.ts"
import { makeClient } from "../src/index.ts"
import { tagOf } from "../src/tag.ts"

const contract: Contract = reflect(HoldfastApi, TransportFailure.members)
const endpoints = new Map<string, HttpApiEndpoint.Top>()
HttpApi.reflect(HoldfastApi, {
  onGroup: () => {},
  onEndpoint: ({ group, endpoint }) =>
    endpoints.set(`${group.identifier}.${endpoint.identifier}`, endpoint as HttpApiEndpoint.Top),
})

/** A text that is a path, a name of a model and base64 at once. */
const sampleText = "a/aa"

function sampleOf(type: Type): unknown {
  switch (type.kind) {
    case "string":
      return sampleText
    case "number":
      return 7
    case "boolean":
      return true
    case "null":
    case "json":
      return null
    case "literal":
      return type.value
    case "array":
      return [sampleOf(type.item), sampleOf(type.item)] // a merge takes two
    case "tuple":
      return type.items.map(sampleOf)
    case "record":
      return { name: sampleOf(type.value) }
    case "object":
      return Object.fromEntries(type.fields.map((field) => [field.name, sampleOf(field.type)]))
    case "union":
      return sampleOf(type.members[0] as Type)
    case "named":
      return sampleOf(contract.types.find(({ name }) => name === type.name)?.type as Type)
  }
}

/** Every field but the cursor, which stands alone. */
const sampleInput = (operation: Operation): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    inputOf(operation)
      .filter(({ name }) => name !== "cursor")
      .map(({ name, type }) => [name, sampleOf(type)]),
  )

/** The same as the Effect client takes it: with the payload as it is meant, not as it is sent. */
function decodedInput(operation: Operation): Readonly<Record<string, unknown>> {
  const input = sampleInput(operation)
  if (operation.payload.kind !== "json") return input
  const { inner } = operation
  const [given] = endpoints.get(`${inner.group}.${inner.endpoint}`)?.payload.values() ?? []
  const schema = given?.schemas[0] as unknown as Schema.Codec<object, unknown>
  const sent = Object.fromEntries(operation.payload.fields.map(({ name }) => [name, input[name]] as const))
  return { ...input, ...Schema.decodeUnknownSync(schema)(sent) }
}

const nameOf = ({ group, name }: Operation): string => `${group}.${name}`

interface Sent {
  readonly method: string
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly payload: unknown
  readonly headers: Readonly<Record<string, string | null>>
}

const baseUrl = "http://localhost:4096"
const noted = ["authorization", "content-type", "holdfast-contract"]

const nothing = (): Response => new Response(null, { status: 599 })

type Outcome = { readonly sent: readonly Sent[]; readonly tag: string | null }

/** A server that answers everything with one answer, and notes what was asked. */
const server = { answer: () => nothing(), sent: [] as Sent[] }

const fetch: typeof globalThis.fetch = async (address, init) => {
  const request = new Request(address, init)
  const { pathname, searchParams } = new URL(request.url)
  const text = await request.text()
  server.sent.push({
    method: request.method,
    path: pathname,
    query: [...searchParams].toSorted(),
    payload: text === "" ? null : JSON.parse(text),
    headers: Object.fromEntries(noted.map((name) => [name, request.headers.get(name)])),
  })
  return server.answer()
}

const plain = makeClient({ baseUrl, token: "t", fetch })
const typed: HoldfastEffectClient = await Effect.runPromise(
  Effect.provide(
    makeEffectClient({ baseUrl }),
    Layer.mergeAll(
      Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, fetch)),
      withToken("t"),
    ),
  ),
)

type Methods = Readonly<Record<string, Readonly<Record<string, (input?: object) => unknown>>>>

async function asked(answer: () => Response, ask: () => Promise<string | null>): Promise<Outcome> {
  server.answer = answer
  const tag = await ask()
  return { sent: server.sent.splice(0), tag }
}

const askPromise = (operation: Operation, answer: () => Response): Promise<Outcome> =>
  asked(answer, async () => {
    const method = (plain as unknown as Methods)[operation.group]?.[operation.name]
    const made = inputOf(operation).length > 0 ? method?.(sampleInput(operation)) : method?.()
    const isStream = operation.answer.kind === "events" || operation.answer.kind === "byte-stream"
    const ended = isStream ? drain(made as AsyncIterable<unknown>) : made
    return Promise.resolve(ended).then(() => null, tagOf)
  })

const drain = async (items: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of items);
}

const askEffect = (operation: Operation, answer: () => Response): Promise<Outcome> =>
  asked(answer, () => {
    const made = (typed as unknown as Methods)[operation.group]?.[operation.name]?.(decodedInput(operation))
    const call =
      operation.answer.kind === "events"
        ? Stream.runDrain(made as Stream.Stream<unknown, unknown>)
        : (made as Effect.Effect<unknown, unknown>)
    return Effect.runPromise(Effect.match(call, { onSuccess: () => null, onFailure: tagOf }))
  })

describe.each(contract.operations.map((operation) => [nameOf(operation), operation] as const))(
  "[CO6] %s",
  (name, operation) => {
    test("is asked for in the same way by both clients, and as the contract says", async () => {
      const [byPromise, byEffect] = [
        await askPromise(operation, nothing),
        await askEffect(operation, nothing),
      ]
      expect(byPromise.sent).toEqual(byEffect.sent)
      const path = operation.path.replaceAll(/:\w+/g, encodeURIComponent(sampleText))
      expect(byPromise.sent).toMatchObject([{ method: operation.method, path }])
      expect(byPromise.sent[0]?.headers).toEqual({
        authorization: "Bearer t",
        "content-type": operation.payload.kind === "json" ? "application/json" : null,
        "holdfast-contract": contract.version,
      })
    })

    test("fails with each failure of the contract in both clients", async () => {
      for (const { status, name: failure } of operation.failures) {
        const body = JSON.stringify(sampleOf({ kind: "named", name: failure }))
        const headers = { "content-type": "application/json" }
        const answer = () => new Response(body, { status, headers })
        const { tag } = await askPromise(operation, answer)
        expect([name, tag, (await askEffect(operation, answer)).tag]).toEqual([name, failure, failure])
      }
    })
  },
)

test("[CO6] the table of the Promise client is what the contract says of routes, inputs and answers", () => {
  const expected = contract.operations.map((operation) => {
    const { method, path, query, payload, answer } = operation
    const rest = payload.kind === "json" ? "payload" : query.length > 0 ? "query" : null
    return [nameOf(operation), { method, path, ...(rest !== null && { rest }), answer: answer.kind }]
  })
  expect(operations).toEqual(Object.fromEntries(expected))
})

test("[CO6] the Promise client knows the failures of the contract, and no others", () => {
  const named = contract.operations.flatMap(({ failures }) => failures.map(({ name }) => name))
  expect([...failureTags].toSorted()).toEqual([...new Set([...contract.everywhere, ...named])].toSorted())
})

test("[CO6] every operation stands behind the token and behind a check", () => {
  const others = contract.operations.filter(
    ({ middleware }) => middleware.toSorted().join() !== "holdfast/Authorization,holdfast/RequestCheck",
  )
  expect(others.map((operation) => [nameOf(operation), operation.middleware])).toEqual([])
})
