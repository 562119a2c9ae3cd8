/** Providers, models and settings over the contract: what can be used, and no secret. */
import { Effect, Result } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { noCatalog } from "@holdfast/core/config/fetched-catalog"
import { decodeUserFile, makeConfigured } from "@holdfast/core/config/index"
import { openSurface, type Surface } from "../surface.ts"

const secret = "sk-very-secret-0123456789"
const limit = { context: 100_000, output: 4_096 }
const settings = Result.getOrThrow(
  decodeUserFile(
    "/config/holdfast.jsonc",
    JSON.stringify({
      providers: {
        anthropic: { apiKey: secret },
        local: {
          wire: "openai-chat",
          baseUrl: "http://127.0.0.1:1/v1",
          models: { small: { limit }, large: { limit } },
        },
        far: {
          wire: "openai-chat",
          baseUrl: "https://far.example",
          apiKeyEnv: "FAR_KEY",
          models: { away: { limit } },
        },
      },
      model: "local/small",
      fallback: ["anthropic/claude-sonnet-4-6"],
    }),
  ),
)

let surface: Surface
beforeAll(async () => {
  const configured = makeConfigured({
    settings,
    environment: {},
    catalog: noCatalog,
    configDirectory: "/config",
    disableProject: false,
    readFile: () => Effect.succeed({ kind: "missing" }),
  })
  surface = await openSurface({ configured })
})
afterAll(async () => {
  expect(surface.defects).toEqual([])
  await surface.close()
})

test("[CA1 AU1] providers.list tells who is there and whether there is a key, never the key", async () => {
  const { text, json } = await surface.get("/api/providers")
  expect(json.items).toMatchObject([
    { name: "anthropic", wire: "anthropic-messages", key: "given", keyProblem: null, paid: true },
    { name: "local", wire: "openai-chat", key: "none", models: 2, paid: false, ambient: false },
    { name: "far", key: "missing", keyProblem: expect.stringContaining("FAR_KEY") },
  ])
  expect(text).not.toContain(secret)
})

test("[CA1] providers.list tells of one by its name, also if it is not configured", async () => {
  const named = async (name: string) => (await surface.get(`/api/providers?provider=${name}`)).json.items
  expect(await named("local")).toMatchObject([{ name: "local", key: "none" }])
  expect(await named("openai")).toMatchObject([{ name: "openai", key: "missing" }])
  expect(await named("nobody")).toEqual([])
})

test("[CA1] models.list tells what can be used, of all providers or of one", async () => {
  const local = (await surface.get("/api/models?provider=local")).json.items
  expect(local.map(({ model }: { model: string }) => model)).toEqual(["small", "large"])
  expect(local[0]).toMatchObject({ default: true, fallback: null, contextTokens: 100_000, variants: [] })
  const { items } = (await surface.get("/api/models?limit=200")).json
  const names = items.map((item: { provider: string; model: string }) => `${item.provider}/${item.model}`)
  expect(names).toEqual(expect.arrayContaining(["anthropic/claude-sonnet-4-6", "far/away", "local/large"]))
  expect((await surface.get("/api/models?provider=nobody")).json.items).toEqual([])
})

test("[PG1] a page of models goes on with the provider that it began with", async () => {
  const first = (await surface.get("/api/models?provider=local&limit=1")).json
  const second = (await surface.get(`/api/models?cursor=${first.next}`)).json
  expect([second.items[0].model, second.next]).toEqual(["large", null])
  expect((await surface.get(`/api/providers?cursor=${first.next}`)).json).toMatchObject({ code: "foreign" })
})

test("[AU1] config.get tells the settings in force, never a key", async () => {
  const { text, json } = await surface.get("/api/config")
  expect(json).toMatchObject({
    model: { value: "local/small" },
    fallback: { value: ["anthropic/claude-sonnet-4-6"] },
    onRestart: { value: "settle", from: null },
    layers: [{ kind: "environment" }, { kind: "user" }, { kind: "project" }],
  })
  expect(json.providers.map(({ name }: { name: string }) => name)).toEqual(["anthropic", "local", "far"])
  expect(text).not.toContain(secret)
})
