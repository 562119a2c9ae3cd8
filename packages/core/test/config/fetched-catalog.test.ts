/** A catalog that was fetched: which entries are taken, where it is kept, and what it lies between. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { describe, expect, test } from "vitest"
import { readCatalog } from "../../src/config/fetched-catalog.ts"
import {
  decodeUserFile,
  listModels,
  loadCatalog,
  refreshCatalog,
  resolveModels,
} from "../../src/config/index.ts"
import { useHost } from "../../../../test/stage/host.ts"
import { openLoopback } from "../../../../test/stage/loopback.ts"
import { createProviderSim, offlineAgent } from "../../../provider-sim/src/index.ts"

// Loaded, so that a model can be told of without waiting.
await import("@holdfast/llm/wires")

const entry = {
  id: "gpt-9",
  name: "GPT 9",
  attachment: true,
  reasoning: true,
  tool_call: true,
  structured_output: true,
  modalities: { input: ["text", "image"], output: ["text"] },
  cost: { input: 3, output: 9, cache_read: 0.3 },
  limit: { context: 500_000, output: 60_000 },
}
const models = (found: Record<string, unknown>) => ({ openai: { id: "openai", models: found } })
const factsOf = (changed: object) =>
  readCatalog(models({ "gpt-9": { ...entry, ...changed } })).catalog.get("openai/gpt-9")

describe("entries", () => {
  test("[CA1] of the shape of models.dev become facts of a model", () =>
    expect(factsOf({})).toEqual({
      contextTokensMax: 500_000,
      outputTokensMax: 60_000,
      price: { input: 3, output: 9, cacheRead: 0.3, cacheWrite: 3 },
      tools: true,
      images: true,
      structuredOutput: true,
      reasoning: "effort",
    }))

  test.each<readonly [string, object, object]>([
    ["nothing about a price", { cost: undefined }, { contextTokensMax: 500_000 }],
    ["no reasoning", { reasoning: false }, { reasoning: "none" }],
    ["text alone", { modalities: { input: ["text"] } }, { images: false }],
    ["equal limits", { limit: { context: 1_000, output: 1_000 } }, { outputTokensMax: 500 }],
    [
      "a dearer tier",
      { cost: { ...entry.cost, context_over_200k: { input: 6, output: 18 } } },
      { contextTokensMax: 200_000 },
    ],
  ])("[CA1] that say %s", (_, changed, expected) => expect(factsOf(changed)).toMatchObject(expected))

  test.each<readonly [string, unknown]>([
    ["no object", 5],
    ["no limit", { ...entry, limit: undefined }],
    ["a limit of nothing", { ...entry, limit: { context: 0, output: 1 } }],
    ["a limit that is a text", { ...entry, limit: { context: "500k", output: 1 } }],
    ["a limit without end", { ...entry, limit: { context: 1e300, output: 1 } }],
    ["a negative price", { ...entry, cost: { input: -1, output: 1 } }],
    ["half a price", { ...entry, cost: { input: 1 } }],
  ])("[CA1] with %s are counted and left out, and the others stay", (_, bad) => {
    const { catalog, leftOut } = readCatalog(models({ bad, "bad name\n": entry, "gpt-9": entry }))
    expect([...catalog.keys()]).toEqual(["openai/gpt-9"])
    expect(leftOut).toBe(2)
  })

  test("[CA1 AU1] of providers that nobody knows here, and every address, are not taken", () => {
    const document = {
      openai: { api: "https://evil.example", npm: "@ai-sdk/evil", models: { "gpt-9": entry } },
      stranger: { api: "https://evil.example", models: { "gpt-9": entry } },
      togetherai: { models: { open: entry } },
    }
    const { catalog, kept } = readCatalog(document)
    expect([...catalog.keys()]).toEqual(["openai/gpt-9", "together/open"])
    expect(JSON.stringify([kept, ...catalog.values()])).not.toContain("evil")
  })

  test.each([null, [], "x", 7, { openai: null }, { openai: { models: [] } }])("%j holds none", (document) =>
    expect(readCatalog(document).catalog.size).toBe(0),
  )
})

interface Served extends AsyncDisposable {
  readonly url: string
  readonly data: string
}

/** A data directory, and a catalog on loopback that answers this. */
async function serve(body: string, status = 200): Promise<Served> {
  const data = await mkdtemp(join(tmpdir(), "holdfast-catalog-"))
  const server = createServer((request, response) => {
    // A silent one: it never answers.
    if (request.url === "/silent") return
    response.writeHead(status).end(body)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    data,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api.json`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((closed) => void server.close(() => closed()))
      await rm(data, { recursive: true, force: true })
    },
  }
}

const settings = (value: object) =>
  Result.getOrThrow(decodeUserFile("/c/holdfast.jsonc", JSON.stringify(value)))

describe("a refresh", () => {
  test("[CA1] stores what is sound, above the embedded copy and beneath the user's settings", async () => {
    const found = { "gpt-9": entry, "gpt-5.2": entry, "gpt-5": entry, bad: {} }
    await using place = await serve(JSON.stringify(models(found)))
    expect(await refreshCatalog(place.data, place.url)).toEqual({
      kind: "refreshed",
      url: place.url,
      models: 3,
      leftOut: 1,
      file: join(place.data, "catalog.json"),
    })
    expect(await readdir(place.data)).toEqual(["catalog.json"])
    const catalog = await Effect.runPromise(loadCatalog(place.data))
    const mine = settings({
      providers: { openai: { apiKey: "k", models: { "gpt-5": { limit: { context: 7_000 } } } } },
    })
    const windows = ["gpt-9", "gpt-5.2", "gpt-5", "gpt-5-mini"].map((model) => {
      const resolve = resolveModels(mine, {}, { catalog })
      return Effect.runSync(resolve({ provider: "openai", model })).contextTokens
    })
    expect(windows).toEqual([500_000, 500_000, 7_000, 400_000])
    const listing = await Effect.runPromise(listModels({ settings: mine, environment: {}, catalog }))
    expect(listing.providers[0]?.models.map(({ model }) => model)).toContain("gpt-9")
  })

  test.each<readonly [string, string, number, string]>([
    ["that is no JSON", "<html>", 200, "no JSON"],
    ["without a known model", '{"x":{}}', 200, "no model of a provider that is known"],
    ["that is refused", "{}", 503, "status 503"],
    [
      "that is too large",
      JSON.stringify(models({ "gpt-9": { ...entry, name: "x".repeat(5_000) } })),
      200,
      "larger",
    ],
  ])("[CA1] %s changes nothing and says so", async (_, body, status, problem) => {
    await using place = await serve(body, status)
    const file = join(place.data, "catalog.json")
    const before = JSON.stringify(models({ "gpt-9": entry }))
    await writeFile(file, before)
    const refreshed = await refreshCatalog(place.data, place.url, { ms: 5_000, bytes: 4_096 })
    expect(refreshed).toMatchObject({ kind: "failed", problem: expect.stringContaining(problem) })
    expect(await readFile(file, "utf8")).toBe(before)
    expect(await readdir(place.data)).toEqual(["catalog.json"])
  })

  test("[CA1] that nobody answers ends at its limit", async () => {
    await using place = await serve("")
    const silent = place.url.replace("/api.json", "/silent")
    expect(await refreshCatalog(place.data, silent, { ms: 200, bytes: 4_096 })).toMatchObject({
      kind: "failed",
      problem: "it did not answer within 200 ms",
    })
  })

  test.each(["{", "[]", '{"openai":7}'])("[CA1] a stored catalog that is %s counts as none", async (text) => {
    await using place = await serve("")
    await writeFile(join(place.data, "catalog.json"), text)
    expect((await Effect.runPromise(loadCatalog(place.data))).size).toBe(0)
  })
})

test("[CA1] a turn has the limits and the price of a catalog that was fetched", async () => {
  await using place = await openLoopback("catalog", {
    sim: () => createProviderSim({ models: { agent: offlineAgent() } }),
  })
  const { baseUrl } = place.settings.providers["offline"]!
  await place.write("data/catalog.json", JSON.stringify({ anthropic: { models: { agent: entry } } }))
  const mine = { providers: { anthropic: { baseUrl, apiKey: "k" } }, model: "anthropic/agent" }
  const told = await useHost({ ...place, settings: mine }, (host) =>
    Effect.gen(function* () {
      const { id } = yield* host.create({ directory: place.project })
      yield* host.prompt({ sessionID: id, text: "Hello." })
      const { status } = yield* host.result(id)
      const [turn] = yield* host.turns(id)
      return { status, ledger: turn?.settled?.ledger, limit: (yield* host.request(id)).limit }
    }),
  )
  const { usage, cost } = told.ledger!
  expect(told).toMatchObject({ status: "done", limit: { contextTokens: 500_000 } })
  // Writing into the cache costs what input costs, since the entry says nothing else.
  expect(usage.cacheWrite).toBeGreaterThan(0)
  expect(cost).toBeCloseTo((usage.cacheWrite * 3 + usage.output * 9) / 1e6, 9)
})

test("[CA1 DR2] a catalog that is fetched meanwhile holds from the next turn on; while there is none, the last one does", async () => {
  await using place = await openLoopback("catalog", {
    sim: () => createProviderSim({ models: { agent: offlineAgent() } }),
  })
  const { baseUrl } = place.settings.providers["offline"]!
  const fetched = (context: number) =>
    place.write(
      "data/catalog.json",
      JSON.stringify({ anthropic: { models: { agent: { ...entry, limit: { context, output: 8_000 } } } } }),
    )
  await fetched(500_000)
  const mine = { providers: { anthropic: { baseUrl, apiKey: "k" } }, model: "anthropic/agent" }
  const seen = await useHost({ ...place, settings: mine }, (host) =>
    Effect.gen(function* () {
      const { id } = yield* host.create({ directory: place.project })
      const limit = Effect.gen(function* () {
        yield* host.prompt({ sessionID: id, text: "Hello." })
        yield* host.result(id)
        const { providers } = yield* host.listing()
        const listed = providers.flatMap(({ models: all }) => all).find(({ model }) => model === "agent")
        return [(yield* host.request(id)).limit?.contextTokens, listed?.contextTokens]
      })
      const before = yield* limit
      yield* Effect.promise(() => fetched(300_000))
      const after = yield* limit
      yield* Effect.promise(() => rm(join(place.root, "data", "catalog.json")))
      return [before, after, yield* limit]
    }),
  )
  expect(seen).toEqual([
    [500_000, 500_000],
    [300_000, 300_000],
    [300_000, 300_000],
  ])
})

describe("a listing", () => {
  const list = (value: object, more: { environment?: Record<string, string>; provider?: string } = {}) =>
    Effect.runSync(listModels({ settings: settings(value), environment: {}, catalog: new Map(), ...more }))

  test("[CA1 CA3] tells the default, the order of fallback, variants and keys", () => {
    const { providers, problems } = list({
      model: "openai/gpt-5.2:fast",
      fallback: ["deepseek/deepseek-flash", "openai/o3", "nobody/x"],
      providers: {
        openai: { apiKey: "k", models: { "gpt-5.2": { variants: { fast: {} } } } },
        deepseek: {},
      },
    })
    const all = providers.flatMap((provider) => provider.models)
    expect(all.filter((model) => model.default).map(({ model, variants }) => [model, variants])).toEqual([
      ["gpt-5.2", ["fast"]],
    ])
    expect(all.flatMap(({ model, fallback }) => (fallback === null ? [] : [[model, fallback]]))).toEqual([
      ["o3", 2],
      ["deepseek-flash", 1],
    ])
    expect(providers.map(({ name, key }) => [name, key])).toEqual([
      ["openai", "given"],
      ["deepseek", "missing"],
    ])
    expect(providers[1]?.keyProblem).toContain("DEEPSEEK_API_KEY")
    expect(problems).toEqual(['"fallback" names nobody/x, which is not configured.'])
  })

  test("[CA1] of one provider needs no configuration of it", () => {
    expect(list({}).providers).toEqual([])
    expect(list({}, { provider: "anthropic" }).providers[0]?.models.length).toBeGreaterThan(5)
    expect(list({}, { provider: "nobody" }).providers).toEqual([])
  })
})
