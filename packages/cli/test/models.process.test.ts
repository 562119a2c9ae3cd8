/** `holdfast models`, and keys that no command ever prints. */
import { readFileSync, statSync } from "node:fs"
import { chmod } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makePlace } from "./place.ts"

const canary = "canary-7c222fb29271"
const entry = {
  reasoning: true,
  tool_call: true,
  modalities: { input: ["text"] },
  cost: { input: 3, output: 9 },
  limit: { context: 500_000, output: 60_000 },
}

async function serve(answer: (path: string) => readonly [number, string]) {
  const server = createServer((request, response) => {
    const [status, body] = answer(request.url ?? "")
    response.writeHead(status, { "content-type": "application/json" }).end(body)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => void server.close(() => closed())),
  }
}

const rows = (out: string) =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test("[CA1 SU1] lists what can be used now, within 100 columns, and each model as JSON", async () => {
  await using place = await makePlace()
  const env = { OPENAI_API_KEY: canary, GROQ_API_KEY: canary }
  const { code, out, err } = await place.call(["models"], { env })
  expect({ code, err }).toEqual({ code: 0, err: "" })
  expect(out).toMatch(/^openai · key given · openai-responses · https:\/\/api\.openai\.com\/v1$/m)
  expect(out).toMatch(/^\* gpt-5\.4 +400k +128k +2\.5 +15 +0\.25 +2\.5 tisr a1024$/m)
  expect(Math.max(...out.split("\n").map((line) => [...line].length))).toBeLessThanOrEqual(100)
  const json = await place.call(["models", "openai", "--json"], { env })
  expect(rows(json.out).find(({ model }) => model === "gpt-5.4")).toMatchObject({
    provider: "openai",
    wire: "openai-responses",
    contextTokens: 400_000,
    outputTokens: 128_000,
    price: { input: 2.5, output: 15, cacheRead: 0.25, cacheWrite: 2.5 },
    cache: { written: "automatic", tokensMin: 1_024, lives: ["5m", "24h"] },
    key: "given",
    default: true,
  })
  expect(`${out}${json.out}`).not.toContain(canary)
})

test("[CA1] tells how each provider caches, whether it is configured or not, as configured", async () => {
  await using place = await makePlace()
  const caches = async (provider: string) =>
    new Map(
      rows((await place.call(["models", provider, "--json"])).out).map((row) => [row["model"], row["cache"]]),
    )
  const marked = { written: "markers", tokensMin: 4_096, lives: ["5m", "1h"] }
  expect((await caches("anthropic")).get("claude-opus-4-6")).toEqual(marked)
  expect((await caches("bedrock")).get("us.amazon.nova-micro-v1:0")).toEqual({
    written: "markers",
    tokensMin: 1_024,
    lives: ["5m"],
  })
  const google = await caches("google")
  expect(google.get("gemini-2.5-pro")).toEqual({ written: "automatic", tokensMin: 4_096, lives: [] })
  expect(google.get("gemini-2.5-flash")).toEqual({ written: "automatic", tokensMin: 1_024, lives: [] })
  const limit = { context: 9_000, output: 900 }
  const models = { m: { limit }, n: { limit, cache: "automatic" } }
  const mine = { wire: "openai-chat", baseUrl: "http://127.0.0.1:1", apiKeyEnv: "MINE", models }
  await place.write("config/holdfast.jsonc", JSON.stringify({ providers: { mine } }))
  expect([...(await caches("mine"))]).toEqual([
    ["m", { written: "unknown", tokensMin: null, lives: [] }],
    ["n", { written: "automatic", tokensMin: 1_024, lives: [] }],
  ])
})

test("[CA1] says what to do where nothing is configured, or a provider is not known", async () => {
  await using place = await makePlace()
  expect(await place.call(["models"])).toMatchObject({ code: 0, out: expect.stringContaining("No provider") })
  const missing = await place.call(["models", "anthropic"])
  expect(missing.out).toContain("key missing")
  expect(missing.out.replaceAll(/\s+/g, " ")).toContain(
    "from the variable ANTHROPIC_API_KEY, which is not set",
  )
  expect(await place.call(["models", "nobody"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("There is no provider nobody."),
  })
})

test("[CA1] --refresh brings a catalog that is used from then on; a failing one changes nothing", async () => {
  await using place = await makePlace()
  await using provider = await serve((path) =>
    path === "/good"
      ? [200, JSON.stringify({ openai: { models: { "gpt-9": entry, bad: {} } } })]
      : [500, "broken"],
  )
  const env = (path: string) => ({ OPENAI_API_KEY: "k", HOLDFAST_CATALOG_URL: `${provider.url}${path}` })
  const good = await place.call(["models", "--refresh"], { env: env("/good") })
  expect(good).toMatchObject({ code: 0, err: expect.stringContaining("1 model, 1 left out") })
  expect(good.out).toMatch(/^ {2}gpt-9 +500k +60k +3 +9 +3 +3 t·sr a1024$/m)
  const file = join(place.root, "data/catalog.json")
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const before = readFileSync(file, "utf8")
  const bad = await place.call(["models", "--refresh", "--json"], { env: env("/bad") })
  expect(bad).toMatchObject({ code: 1, err: expect.stringContaining("status 500. Nothing has changed.") })
  expect(readFileSync(file, "utf8")).toBe(before)
  expect(rows(bad.out).map(({ model }) => model)).toContain("gpt-9")
})

const ways: readonly (readonly [string, object, Record<string, string>])[] = [
  ["a variable", { apiKeyEnv: "MINE" }, { MINE: canary }],
  ["a key file", { apiKeyFile: "key" }, {}],
  ["a command", { apiKeyCommand: ["printf", "%s-%s", ...canary.split("-")] }, {}],
]

test.each(ways)(
  "[AU1] no command prints a key from %s, though the provider quotes it",
  async (_, key, env) => {
    await using place = await makePlace()
    const shown: string[] = []
    await using provider = await serve(() => [
      401,
      JSON.stringify({ type: "error", error: { type: "authentication_error", message: `Not ${canary}.` } }),
    ])
    const models = { m: { limit: { context: 200_000, output: 8_192 } } }
    const mine = { wire: "anthropic-messages", baseUrl: provider.url, models, ...key }
    await place.write("config/holdfast.jsonc", JSON.stringify({ providers: { mine } }))
    await place.write("config/key", canary)
    await chmod(join(place.root, "config/key"), 0o600)
    for (const args of [
      ["run", "Hello."],
      ["run", "--json", "Hello."],
      ["sessions", "--json"],
      ["doctor"],
      ["doctor", "--json"],
      ["models"],
      ["models", "--json"],
    ]) {
      const { code, out, err } = await place.call(args, { env: { ...env, HOLDFAST_DEBUG: "1" } })
      if (args[0] === "run") expect(code).toBe(1)
      shown.push(out, err)
    }
    const everything = shown.join("\n")
    expect(everything).toContain("authentication")
    expect(everything).toContain("[hidden]")
    expect(everything).not.toContain(canary)
    expect(readFileSync(join(place.root, "data/holdfast.db"), "latin1")).not.toContain(canary)
  },
)

test("[AU1 CA3] doctor names a key file that others may read, and a fallback that is none", async () => {
  await using place = await makePlace()
  const providers = '"providers": { "openai": { "apiKeyFile": "key" } }'
  await place.write("config/holdfast.jsonc", `{ ${providers}, "fallback": ["nobody/here"] }`)
  await place.write("config/key", canary)
  await chmod(join(place.root, "config/key"), 0o644)
  const { code, out } = await place.call(["doctor", "--offline"])
  expect(code).toBe(1)
  expect(out).toContain("chmod 600")
  expect(out).toContain("fallback: There is no provider nobody.")
  expect(out).not.toContain(canary)
})
