/** The Effect client, against the real handler. */
import { Effect, Fiber, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { afterEach, expect, test } from "vitest"
import { reflect } from "../../codegen/src/reflect.ts"
import { HoldfastApi } from "../../protocol/src/index.ts"
import { openSurface, type Surface, token } from "../../server/test/surface.ts"
import { type HoldfastEffectClient, makeEffectClient, withToken } from "../src/effect.ts"
import { operations } from "../src/generated/operations.ts"

const opened: Surface[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((surface) => surface.close()))
})

async function using<A, E>(
  use: (client: HoldfastEffectClient) => Effect.Effect<A, E>,
  given: { readonly token?: string; readonly onAbort?: () => void } = {},
): Promise<A> {
  const surface = await openSurface()
  opened.push(surface)
  const fetch: typeof globalThis.fetch = (address, init) => {
    init?.signal?.addEventListener("abort", () => given.onAbort?.())
    return surface.handler(new Request(address, init))
  }
  const layer = Layer.mergeAll(
    Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, fetch)),
    withToken(given.token ?? token),
  )
  const program = Effect.flatMap(makeEffectClient({ baseUrl: "http://localhost:4096" }), use)
  return Effect.runPromise(Effect.provide(program, layer))
}

test("[CL4] gives decoded values, and takes one input object", async () => {
  const [session, page] = await using((client) =>
    Effect.gen(function* () {
      const made = yield* client.sessions.create({ title: "Mend the roof" })
      const sent = yield* client.sessions.prompt({ sessionID: made.id, text: "Hello", resume: false })
      expect(sent.state).toBe("pending")
      return [made, yield* client.sessions.inbox({ sessionID: made.id, limit: 5 })] as const
    }),
  )
  expect(session.title).toBe("Mend the roof")
  expect(page.items).toHaveLength(1)
})

test("[CL2 PG2] fails with the failure of the contract", async () => {
  const tag = await using((client) =>
    Effect.flip(client.sessions.get({ sessionID: "ses_00000000000000000000000000" })).pipe(
      Effect.map((failure) => failure._tag),
    ),
  )
  expect(tag).toBe("SessionNotFound")
})

test("[AU1] is refused without the token of the server", async () => {
  const tag = await using((client) => Effect.map(Effect.flip(client.health.get()), ({ _tag }) => _tag), {
    token: "another",
  })
  expect(tag).toBe("Unauthorized")
})

test("[CL3 CL5] streams are Streams of events, and interrupting one aborts its request", async () => {
  let aborted = 0
  const first = await using(
    (client) =>
      Effect.gen(function* () {
        const { id } = yield* client.sessions.create({})
        const events = client.sessions.events({ sessionID: id })
        const fiber = yield* Effect.forkChild(Stream.runDrain(events))
        const head = yield* Stream.runHead(events)
        yield* Fiber.interrupt(fiber)
        return head
      }),
    { onAbort: () => aborted++ },
  )
  expect(first).toMatchObject({ _tag: "Some", value: { seq: 1, fact: { type: "session.created" } } })
  expect(aborted).toBeGreaterThan(0)
})

test("[CO5 CO6] both clients have the routes of the contract, and no others", async () => {
  const routes = Object.fromEntries(
    reflect(HoldfastApi).operations.map(({ group, name, method, path }) => [
      `${group}.${name}`,
      [method, path],
    ]),
  )
  expect(
    Object.fromEntries(Object.entries(operations).map(([name, { method, path }]) => [name, [method, path]])),
  ).toEqual(routes)
  const names = await using((client) =>
    Effect.sync(() =>
      Object.entries(client).flatMap(([group, methods]) =>
        Object.keys(methods).map((name) => `${group}.${name}`),
      ),
    ),
  )
  expect(names.toSorted()).toEqual(Object.keys(routes).toSorted())
})
