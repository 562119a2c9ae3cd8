/** Bad input through both clients, against the real handler: the same failure, word for word. */
import { Effect, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openSurface, type Surface, token } from "../../server/test/surface.ts"
import { type HoldfastEffectClient, makeEffectClient, withToken } from "../src/effect.ts"
import { makeClient } from "../src/index.ts"

type Methods = Readonly<Record<string, Readonly<Record<string, (input?: unknown) => unknown>>>>

const baseUrl = "http://localhost:4096"
let surface: Surface
let sessionID: string
let plain: Methods
let typed: Methods

beforeAll(async () => {
  surface = await openSurface()
  const fetch: typeof globalThis.fetch = (address, init) => surface.handler(new Request(address, init))
  sessionID = (await surface.post("/api/session", {})).json.id
  plain = makeClient({ baseUrl, token, fetch }) as unknown as Methods
  const layer = Layer.mergeAll(
    Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, fetch)),
    withToken(token),
  )
  const client: HoldfastEffectClient = await Effect.runPromise(
    Effect.provide(makeEffectClient({ baseUrl }), layer),
  )
  typed = client as unknown as Methods
})
afterAll(() => surface.close())

async function byPromise(group: string, method: string, input: unknown): Promise<unknown> {
  const made = plain[group]?.[method]?.(input)
  const ended = isIterable(made) ? made[Symbol.asyncIterator]().next() : Promise.resolve(made)
  return ended.then((value: unknown) => ({ value }), shape)
}

const isIterable = (made: unknown): made is AsyncIterable<unknown> =>
  typeof made === "object" && made !== null && Symbol.asyncIterator in made

function byEffect(group: string, method: string, input: unknown): Promise<unknown> {
  const made = typed[group]?.[method]?.(input)
  const call = Stream.isStream(made)
    ? Stream.runHead(made as Stream.Stream<unknown, unknown>)
    : (made as Effect.Effect<unknown, unknown>)
  return Effect.runPromise(Effect.match(call, { onSuccess: (value) => ({ value }), onFailure: shape }))
}

/** What a failure says, without what a class adds to it. */
const shape = (failure: unknown): unknown => {
  const { _tag, message, ...rest } = JSON.parse(
    JSON.stringify({ ...(failure as object), message: (failure as Error).message }),
  )
  return { _tag, message, ...rest }
}

const calls: readonly (readonly [operation: string, input: unknown, tag?: string])[] = [
  ["sessions.create", { directroy: "/tmp" }],
  ["sessions.create", { directory: 7 }],
  ["sessions.create", { title: "a".repeat(1_001) }],
  ["sessions.create", { title: "a\ud800b" }],
  ["sessions.create", { policy: "ignore" }],
  ["sessions.create", { budget: { tokens: -1 } }],
  ["sessions.create", { id: "-" }, "InvalidId"],
  ["sessions.prompt", {}],
  ["sessions.prompt", { text: 1 }],
  ["sessions.prompt", { text: "A", delivery: null }],
  ["sessions.prompt", { text: "A", images: [{ bytes: [1] }] }],
  ["sessions.prompt", { text: "A", images: [{ data: new Uint8Array(3) }], deliver: "queue" }],
  ["sessions.edit", { promptID: 1, text: "A" }],
  ["sessions.edit", { text: "A" }],
  ["sessions.edit", { promptID: "one", text: "a".repeat(3_000_000) }, "RequestTooLarge"],
  ["sessions.update", { title: 7 }],
  ["sessions.update", { title: Number.NaN }],
  ["sessions.update", { title: () => "A" }],
  ["sessions.update", { budget: { money: Number.NaN } }],
  ["sessions.update", { budget: { money: -Infinity } }],
  ["sessions.update", { budget: { tokens: 5n } }],
  ["sessions.update", { allow: ["bash", Symbol("read")] }],
  ["sessions.update", { allow: ["bash", undefined] }],
  ["sessions.list", { limit: Number.NaN }],
  ["sessions.list", { limit: Symbol("ten") }],
  ["sessions.move", {}],
  ["sessions.archive", { archived: "yes" }],
  ["sessions.probe", { without: [] }],
  ["sessions.list", { limit: 0 }],
  ["sessions.list", { limit: 1.5 }],
  ["sessions.list", { limit: "ten" }],
  ["sessions.active", { limt: 2 }],
  ["sessions.inbox", { cursor: "a", limit: 2 }],
  ["sessions.messages", { order: "sideways" }],
  ["sessions.messages", { system: "maybe" }],
  ["sessions.history", { after: -1 }],
  ["sessions.events", { after: -1 }],
  ["sessions.events", { form: 1 }],
  ["sessions.get", { force: true }],
  ["sessions.wait", { timeoutMs: 1 }],
  ["sessions.message", { messageID: 1 }],
  ["events.subscribe", { session: "ses_a" }],
  ["models.get", { modle: "a/b" }],
  ["files.read", {}],
  ["files.read", { path: "a", length: 0 }],
  ["locations.open", { directory: "" }],
  ["ptys.create", { columns: "wide" }],
  ["ptys.create", { env: { A: 1 } }],
]

const withoutSession = new Set(["sessions.create", "sessions.list", "sessions.active"])

const named = calls.map(([operation, given, tag = "InvalidRequest"]) => ({ operation, given, tag }))

test.each(named)(
  "[CL4] $operation of $given fails alike in both clients",
  async ({ operation, given, tag }) => {
    const [group = "", method = ""] = operation.split(".")
    const inSession = group === "sessions" && !withoutSession.has(operation)
    const input = inSession ? { sessionID, ...(given as object) } : given
    const told = await byPromise(group, method, input)
    expect(told).toMatchObject({ _tag: tag })
    expect(await byEffect(group, method, input)).toEqual(told)
  },
)

test("[CL4] no input at all, and a field without a value, mean the same to both", async () => {
  for (const input of [undefined, null, {}, { sessionID: 7 }])
    expect(await byEffect("sessions", "get", input)).toEqual(await byPromise("sessions", "get", input))
  const input = { sessionID, title: undefined, policy: "settle" }
  expect(await byEffect("sessions", "update", input)).toEqual(await byPromise("sessions", "update", input))
})

test("[CL4] an answer that does not fit stays apart from input that does not", async () => {
  const wrong: typeof globalThis.fetch = async () =>
    new Response('{"items":7}', { headers: { "content-type": "application/json" } })
  const layer = Layer.mergeAll(
    Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, wrong)),
    withToken(token),
  )
  const program = Effect.flatMap(makeEffectClient({ baseUrl }), ({ sessions }) =>
    Effect.flip(sessions.list()),
  )
  const failure = await Effect.runPromise(Effect.provide(program, layer))
  expect(failure._tag).toBe("SchemaError")
})
