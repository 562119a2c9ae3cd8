/** Where settings come from, which directory they lie in, and which model they lead to. */
import { Effect, Result } from "effect"
import { describe, expect, test } from "vitest"
import { catalogModels } from "@holdfast/llm"
import type { FileContent } from "../../src/instructions/index.ts"
import {
  configDirectory,
  dataDirectory,
  decodeUserFile,
  describeModel,
  loadProjectSettings,
  loadUserSettings,
  mergeSettings,
  resolveModels,
  type Settings,
} from "../../src/config/index.ts"

// Loaded, so that a model can be told of without waiting.
await import("@holdfast/llm/wires")

const secret = "sk-very-secret"
const defaultModel = "claude-sonnet-4-6"
const limit = { context: 100_000, output: 4_096 }
const provider = { wire: "anthropic-messages", baseUrl: "http://127.0.0.1:1", models: { small: { limit } } }

const files =
  (found: Readonly<Record<string, FileContent | string>>) =>
  (path: string): Effect.Effect<FileContent> => {
    const content = found[path]
    if (content === undefined) return Effect.succeed({ kind: "missing" })
    return Effect.succeed(typeof content === "string" ? { kind: "text", text: content } : content)
  }

const load = (found: Record<string, FileContent | string>, environment: Record<string, string> = {}) =>
  Effect.runSync(
    Effect.result(
      Effect.map(loadUserSettings("/config", environment, files(found)), ({ settings }) => settings),
    ),
  )

const settings = (value: object): Settings => Result.getOrThrow(decodeUserFile("test", JSON.stringify(value)))

const resolve = (from: Settings, name: string | null, environment: Record<string, string> = {}) => {
  const [first, ...rest] = name?.split("/") ?? []
  const ref = name === null ? null : { provider: first ?? "", model: rest.join("/") }
  return Effect.runSync(Effect.result(resolveModels(from, environment)(ref)))
}

describe("directories", () => {
  test.each([
    [{}, "/users/ada/.config/holdfast", "/users/ada/.local/share/holdfast"],
    [{ XDG_CONFIG_HOME: "/x/c", XDG_DATA_HOME: "/x/d" }, "/x/c/holdfast", "/x/d/holdfast"],
    [
      { XDG_CONFIG_HOME: "c", XDG_DATA_HOME: "d" },
      "/users/ada/.config/holdfast",
      "/users/ada/.local/share/holdfast",
    ],
    [{ HOLDFAST_CONFIG_DIR: "/own/c", HOLDFAST_DATA_DIR: "/own/d", XDG_DATA_HOME: "/x" }, "/own/c", "/own/d"],
    [
      { HOLDFAST_CONFIG_DIR: "", HOLDFAST_DATA_DIR: "" },
      "/users/ada/.config/holdfast",
      "/users/ada/.local/share/holdfast",
    ],
  ])("%j", (environment, config, data) => {
    expect(configDirectory(environment, "/users/ada")).toBe(config)
    expect(dataDirectory(environment, "/users/ada")).toBe(data)
  })
})

describe("loading", () => {
  test("no file and no key give no provider", () =>
    expect(Result.getOrThrow(load({})).providers.size).toBe(0))

  test.each(["/config/holdfast.jsonc", "/config/holdfast.json"])("%s is read", (path) => {
    const found = Result.getOrThrow(load({ [path]: JSON.stringify({ providers: { local: provider } }) }))
    expect([...found.providers.keys()]).toEqual(["local"])
  })

  test.each([
    [{ "/config/holdfast.jsonc": "{}", "/config/holdfast.json": "{}" }, "Keep one of the two."],
    [
      { "/config/holdfast.jsonc": { kind: "unreadable", reason: "EACCES" } as const },
      "cannot be read (EACCES)",
    ],
    [{ "/config/holdfast.jsonc": { kind: "text", text: "{", cut: true } as const }, "too long"],
    [
      { "/config/holdfast.jsonc": { kind: "missing", irregular: true } as const },
      "/config/holdfast.jsonc: This is no file.",
    ],
  ])("%j is refused", (found, said) => {
    const loaded = load(found)
    expect(Result.isFailure(loaded) && loaded.failure.line).toBe(0)
    expect(Result.isFailure(loaded) && loaded.failure.message).toContain(said)
  })

  test("a key in the environment is enough, and its address is respected", () => {
    const found = Result.getOrThrow(
      load({}, { ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }),
    )
    const resolved = Result.getOrThrow(resolve(found, null, { ANTHROPIC_API_KEY: secret }))
    expect(resolved.ref).toEqual({ provider: "anthropic", model: defaultModel })
    expect(resolved.url).toBe("http://127.0.0.1:9")
    expect(resolved.credential).toBe(secret)
    expect(JSON.stringify(describeModel(resolved))).not.toContain(secret)
  })

  test("an address that is none is refused", () => {
    const loaded = load({}, { ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: "nowhere" })
    expect(Result.isFailure(loaded) && loaded.failure.message).toContain("ANTHROPIC_BASE_URL")
  })

  test("a project's file chooses a model, and a missing one none", () => {
    const read = (found: Record<string, string>) =>
      Effect.runSync(loadProjectSettings("/project", files(found))).settings.model
    expect(read({ "/project/holdfast.jsonc": '{ "model": "local/small" }' })).toEqual({
      provider: "local",
      model: "small",
    })
    expect(read({})).toBeNull()
  })

  test("later layers win, provider by provider", () => {
    const merged = mergeSettings(
      settings({ providers: { a: provider, b: provider }, model: "a/small" }),
      settings({ providers: { b: { ...provider, baseUrl: "http://127.0.0.1:2" } } }),
    )
    expect([...merged.providers].map(([name, { baseUrl }]) => [name, baseUrl])).toEqual([
      ["a", "http://127.0.0.1:1"],
      ["b", "http://127.0.0.1:2"],
    ])
    expect(merged.model).toEqual({ provider: "a", model: "small" })
  })
})

describe("models", () => {
  test("the default model of the provider without a file is in the catalog, with its price", () => {
    const found = resolve(settings({ providers: { anthropic: { apiKey: secret } } }), null)
    expect(catalogModels().map(({ model }) => model)).toContain(defaultModel)
    expect(Result.getOrThrow(found).price).not.toBeNull()
  })

  test("settings win over the catalog", () => {
    const models = {
      "claude-sonnet-4-6": { limit, price: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 } },
    }
    const setup = Result.getOrThrow(
      resolve(settings({ providers: { anthropic: { apiKey: secret, models } } }), null),
    )
    expect(setup.contextTokens).toBe(100_000)
    expect(setup.target.options.generation.outputTokensMax).toBe(4_096)
    expect(setup.price).toEqual({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4 })
  })

  test("the only model of a file is the default, also beside a key in the environment", () => {
    const both = mergeSettings(
      settings({ providers: { anthropic: {} } }),
      settings({ providers: { local: provider } }),
    )
    expect(Result.getOrThrow(resolve(both, null)).ref).toEqual({ provider: "local", model: "small" })
  })

  test.each([
    ["http://127.0.0.1:8080", false],
    ["http://localhost:8080", false],
    ["http://[::1]:8080", false],
    ["http://127.0.0.1.example.com", true],
    ["https://api.example.com", true],
    ["http://192.168.0.2", true],
  ])("%s is paid: %j", (baseUrl, paid) => {
    const setup = Result.getOrThrow(
      resolve(settings({ providers: { p: { ...provider, baseUrl } } }), "p/small"),
    )
    expect(describeModel(setup).paid).toBe(paid)
  })

  test.each([
    [{}, null, "No model is chosen."],
    [{}, "local/small", "There is no provider local. No provider is configured: set ANTHROPIC_API_KEY"],
    [{ local: provider }, "local/large", "The provider local has no model large. Configured: local/small."],
    [
      { local: { ...provider, models: { a: { limit }, b: { limit } } } },
      null,
      "Configured: local/a, local/b.",
    ],
    [
      { local: { ...provider, apiKeyEnv: "LOCAL_KEY" } },
      "local/small",
      "the variable LOCAL_KEY, which is not set",
    ],
    [{ anthropic: { apiKey: secret } }, "anthropic/gpt-9", "anthropic/claude-sonnet-4-6"],
  ])("%j has no %s", (providers, name, said) => {
    const found = resolve(settings({ providers }), name)
    if (Result.isSuccess(found)) throw new Error("It was found.")
    expect(found.failure._tag).toBe("ModelNotFound")
    expect(found.failure.message).toContain(said)
    expect(found.failure.message).not.toContain(secret)
  })

  test("a dated name is a name of its model", () => {
    const from = settings({ providers: { anthropic: { apiKey: secret } } })
    expect(Result.isSuccess(resolve(from, "anthropic/claude-sonnet-4-5-20250929"))).toBe(true)
  })
})
