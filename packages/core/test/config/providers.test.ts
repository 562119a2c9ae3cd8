/** Which providers a configuration can name, and what of a model it can say. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { knownWires } from "@holdfast/llm/known-wires"
import { parseModelRef } from "@holdfast/schema/model"
import { decodeUserFile, loadUserSettings, resolveModels, type Settings } from "../../src/config/index.ts"

// A wire that is in memory is found at once, so models are resolved here without waiting.
beforeAll(() => Promise.all(Object.values(knownWires).map(({ load }) => load())))

const secret = "sk-very-secret"
const limit = { context: 100_000, output: 4_096 }
const local = { baseUrl: "http://127.0.0.1:1", models: { small: { limit } } }
const file = "/config/holdfast.jsonc"

const decode = (value: object | string) =>
  decodeUserFile(file, typeof value === "string" ? value : JSON.stringify(value))
const settingsOf = (value: object): Settings => Result.getOrThrow(decode(value))
const fromEnvironment = (environment: Record<string, string>): Settings =>
  Effect.runSync(loadUserSettings("/config", environment, () => Effect.succeed({ kind: "missing" }))).settings
const resolve = (settings: Settings, name: string | null, environment: Record<string, string> = {}) =>
  Effect.runSync(
    Effect.result(resolveModels(settings, environment)(name === null ? null : parseModelRef(name))),
  )
const setup = (...asked: Parameters<typeof resolve>) => Result.getOrThrow(resolve(...asked))
const failure = (value: object | string) => {
  const decoded = decode(value)
  if (Result.isSuccess(decoded)) throw new Error("It was accepted.")
  return decoded.failure
}

test("[TU4] the time limits of a provider, known by its name or not, reach each of its models", () => {
  const settings = settingsOf({
    providers: {
      slow: {
        wire: "openai-chat",
        ...local,
        timeouts: { firstByteSeconds: 600, idleSeconds: 300, contentSeconds: 1_800, answerSeconds: 14_400 },
      },
      ollama: { timeouts: { firstByteSeconds: 900 } },
      other: { wire: "openai-chat", ...local },
    },
  })
  expect(setup(settings, "slow/small").timeouts).toEqual({
    firstByteMs: 600_000,
    idleMs: 300_000,
    contentMs: 1_800_000,
    answerMs: 14_400_000,
  })
  expect(setup(settings, "ollama/any").timeouts).toEqual({ firstByteMs: 900_000 })
  expect(setup(settings, "other/small").timeouts).toBeUndefined()
})

describe("a key in the environment is enough", () => {
  test.each([
    ["ANTHROPIC_API_KEY", "anthropic/claude-opus-4-8", "anthropic-messages", "https://api.anthropic.com"],
    ["OPENAI_API_KEY", "openai/gpt-5.2", "openai-responses", "https://api.openai.com/v1"],
    ["GEMINI_API_KEY", "google/gemini-x", "gemini", "https://generativelanguage.googleapis.com"],
    ["GOOGLE_API_KEY", "google/gemini-x", "gemini", "https://generativelanguage.googleapis.com"],
    [
      "AWS_BEARER_TOKEN_BEDROCK",
      "bedrock/vendor.model-v1:0",
      "bedrock-converse",
      "https://bedrock-runtime.us-east-1.amazonaws.com",
    ],
    ["DEEPSEEK_API_KEY", "deepseek/deepseek-flash", "openai-chat", "https://api.deepseek.com"],
    ["GROQ_API_KEY", "groq/any/model", "openai-chat", "https://api.groq.com/openai/v1"],
    ["OPENROUTER_API_KEY", "openrouter/vendor/model:free", "openai-chat", "https://openrouter.ai/api/v1"],
    ["TOGETHER_API_KEY", "together/any", "openai-chat", "https://api.together.xyz/v1"],
    ["FIREWORKS_API_KEY", "fireworks/any", "openai-chat", "https://api.fireworks.ai/inference/v1"],
    ["MISTRAL_API_KEY", "mistral/mistral-large-4", "openai-chat", "https://api.mistral.ai/v1"],
    ["XAI_API_KEY", "xai/grok-4.7", "openai-chat", "https://api.x.ai/v1"],
  ])("[CA1] %s alone lets %s be spoken to", (variable, name, wire, url) => {
    const environment = { [variable]: secret }
    const found = setup(fromEnvironment(environment), name, environment)
    expect([found.wire.name, found.url, found.credential]).toEqual([wire, url, secret])
    expect(`${found.target.provider}/${found.target.model}`).toBe(name)
  })

  test.each([
    ["eu-west-3", "https://bedrock-runtime.eu-west-3.amazonaws.com"],
    ["evil.example/", "https://bedrock-runtime.us-east-1.amazonaws.com"],
  ])("[CA1] the region %s is part of the address of bedrock, if it is one", (region, url) => {
    const environment = { AWS_BEARER_TOKEN_BEDROCK: secret, AWS_REGION: region }
    expect(setup(fromEnvironment(environment), "bedrock/m", environment).url).toBe(url)
  })

  test("[CA1] of several keys the first provider with a default is taken", () => {
    const environment = { OPENROUTER_API_KEY: "a", DEEPSEEK_API_KEY: "b", OPENAI_API_KEY: "c" }
    expect(setup(fromEnvironment(environment), null, environment).ref).toEqual({
      provider: "openai",
      model: "gpt-5.4",
    })
  })

  test("a variable of an address that is none is a fault, also without its key", () => {
    const loaded = Effect.runSync(
      Effect.result(
        loadUserSettings("/config", { OPENAI_BASE_URL: "nowhere" }, () =>
          Effect.succeed({ kind: "missing" }),
        ),
      ),
    )
    expect(Result.isFailure(loaded) && loaded.failure.message).toContain("OPENAI_BASE_URL")
  })
})

describe("a file", () => {
  test.each(Object.keys(knownWires).filter((wire) => wire !== "ai-sdk"))(
    "[LL1 CA1] can name the wire %s",
    (wire) => {
      const settings = settingsOf({ providers: { mine: { wire, ...local } } })
      expect(setup(settings, null).wire.name).toBe(wire)
    },
  )

  test("[CA1] needs only a key for a provider that the catalog knows", () => {
    const settings = settingsOf({ providers: { openai: { apiKey: secret } } })
    expect(setup(settings, "openai/gpt-5.2")).toMatchObject({
      url: "https://api.openai.com/v1",
      contextTokens: 400_000,
      price: { input: 1.75, output: 14 },
      target: { options: { traits: { reasoning: true } } },
    })
    const refused = resolve(settings, "openai/gpt-nothing")
    expect(Result.isFailure(refused) && refused.failure.message).toContain("has no model gpt-nothing")
  })

  test.each([
    [{ profile: "groq" }, "groq"],
    [{ baseUrl: "https://api.mistral.ai/v1" }, undefined],
  ])("[CA1] says which profile a compatible server has: %j", (more, profile) => {
    const provider = { wire: "openai-chat", ...local, ...more }
    expect(setup(settingsOf({ providers: { mine: provider } }), null).target.options.traits.profile).toBe(
      profile,
    )
  })

  test("[CA1] wins over the facts of the catalog, one by one", () => {
    const models = {
      "gpt-5.2": {
        limit: { context: 50_000, output: 1_000 },
        price: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
        reasoning: "none",
        cache: "breakpoints",
        systemRole: false,
      },
    }
    const found = setup(settingsOf({ providers: { openai: { apiKey: secret, models } } }), null)
    expect(found).toMatchObject({
      contextTokens: 50_000,
      price: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
    })
    expect(found.target.options).toMatchObject({
      generation: { outputTokensMax: 1_000 },
      traits: { reasoning: false, systemRole: false, cacheMarkers: "openai" },
    })
  })

  test.each([
    ['"wire": "openai-chat", "profile": "nobody"', "profile must be one of generic, openai"],
    ['"wire": "openai-responses", "profile": "groq"', "profile is for servers of the wire openai-chat"],
    ['"wire": "openai-chat", "options": []', "options must be an object"],
    ['"wire": "openai-chat", "apiKeyCommand": "pass"', "apiKeyCommand must be a list of texts"],
    ['"wire": "openai-chat", "apiKeyCommand": []', "apiKeyCommand must be a list of texts"],
    [
      '"wire": "openai-chat", "apiKeyFile": "a", "apiKeyCommand": ["b"]',
      "apiKeyCommand stands beside apiKeyFile",
    ],
  ])("refuses %s with its line", (said, message) => {
    const text = `{\n  "providers": {\n    "mine": {\n      ${said},\n      "baseUrl": "http://127.0.0.1:1", "models": { "m": { "limit": { "context": 9, "output": 2 } } }\n    }\n  }\n}`
    expect(failure(text)).toMatchObject({ line: 4, message: expect.stringContaining(message) })
  })

  test.each([
    ['{ "fallback": "a/b" }', "fallback must be a list of texts"],
    ['{ "fallback": ["a"] }', "in each place"],
    ['{ "fallback": ["a/b", "a/b"] }', "names a model twice"],
    ['{ "catalogUrl": "file:///x" }', "catalogUrl must be an address"],
  ])("refuses %s", (text, message) => expect(failure(text).message).toContain(message))
})

describe("options", () => {
  const options = {
    temperature: 0.2,
    reasoningEffort: "high",
    max_tokens: 2_000,
    top_k: 5,
    providerOptions: { openai: { textVerbosity: "low" } },
  }

  test("[CA2] of models.dev and AI-SDK shape are parted into three domains", () => {
    const provider = { wire: "openai-chat", ...local, models: { small: { limit, options } } }
    expect(setup(settingsOf({ providers: { mine: provider } }), null).target.options).toMatchObject({
      generation: { temperature: 0.2, outputTokensMax: 2_000 },
      model: { reasoning: { kind: "effort", effort: "high" }, verbosity: "low" },
      body: { top_k: 5 },
    })
  })

  test("[CA2] never ask for more output than the model has", () => {
    const provider = {
      wire: "openai-chat",
      ...local,
      models: { small: { limit, options: { maxTokens: 9_999 } } },
    }
    const { generation } = setup(settingsOf({ providers: { mine: provider } }), null).target.options
    expect(generation.outputTokensMax).toBe(limit.output)
  })

  test.each([
    ['"apiKey": "sk-very-secret"', "options.apiKey is not an option"],
    ['"headers": { "x": "sk-very-secret" }', "options.headers is not an option"],
    ['"providerOptions": { "other": {} }', "options.other is not an option"],
    ['"temperature": "sk-very-secret"', "options.temperature is not an option"],
  ])("[CA2 AU1] that may not be given are faults with their line, and no value: %s", (said, message) => {
    const text = `{ "providers": { "openai": { "models": { "gpt-5.2": { "options": {\n"topP": 1,\n${said}\n} } } } } }`
    const fault = failure(text)
    expect(fault).toMatchObject({ file, line: 3, message: expect.stringContaining(message) })
    expect(fault.message).not.toContain(secret)
  })
})

describe("hosted tools", () => {
  test("[LL8] docs/configuration.md names the wires that have them, and those where it is a fault", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/configuration.md"), "utf8")
    const [, able = "", unable = ""] =
      /^- The wires (.*) have such tools\. On ([^.]*) the\s/ms.exec(page) ?? []
    const named = (text: string) => [...text.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name).sort()
    const configurable = Object.entries(knownWires).filter(([name]) => name !== "ai-sdk")
    const expected = (has: boolean) =>
      configurable
        .filter(([, { hostedToolFault }]) => (hostedToolFault !== undefined) === has)
        .map(([name]) => name)
        .sort()
    expect([named(able), named(unable)]).toEqual([expected(true), expected(false)])
  })

  const search = { type: "web_search_20250305", name: "web_search", max_uses: 5 }
  const hostedOf = (models: object, name: string, more: object = {}) =>
    setup(settingsOf({ providers: { anthropic: { apiKey: secret, models, ...more } } }), name).target.options
      .model.hostedTools

  test("[CA2 LL8] are options of a provider, of a model and of its variants, and the innermost counts", () => {
    const fetch = { type: "web_fetch_20250910", name: "web_fetch" }
    const models = {
      "claude-sonnet-4-6": {
        options: { hostedTools: [search] },
        variants: { none: { hostedTools: [] }, other: { hostedTools: [fetch, search] }, cool: {} },
      },
      "claude-haiku-4-5": {},
    }
    const found = (name: string) =>
      hostedOf(models, `anthropic/${name}`, { options: { hostedTools: [fetch] } })
    expect(found("claude-haiku-4-5")).toEqual([fetch])
    expect(found("claude-sonnet-4-6")).toEqual([search])
    expect(found("claude-sonnet-4-6:cool")).toEqual([search])
    expect(found("claude-sonnet-4-6:none")).toEqual([])
    expect(found("claude-sonnet-4-6:other")).toEqual([fetch, search])
  })

  test.each([
    ["anthropic-messages", JSON.stringify([search]), null],
    ["openai-responses", '[{ "type": "web_search" }]', null],
    ["gemini", '[{ "googleSearch": {} }]', null],
    ["openai-chat", "[]", null],
    ["openai-chat", '[{ "type": "web_search" }]', "hostedTools is not for the wire openai-chat"],
    ["bedrock-converse", '[{ "type": "web_search" }]', "is wrong: number 1 needs exactly one member"],
    ["bedrock-converse", '[{ "systemTool": { "name": "nova_grounding" } }]', null],
    ["openai-responses", '[{ "googleSearch": {} }]', "is wrong: number 1 needs the type"],
    ["anthropic-messages", '[{ "type": "web_search_20250305" }]', "is wrong: number 1 needs the name"],
    ["gemini", '[{ "googleSearch": {} }, { "type": "x" }]', "is wrong: number 2 needs exactly one member"],
    ["openai-responses", '"web_search"', "options.hostedTools is not an option"],
    ["openai-responses", '[{ "type": "mcp", "authorization": "sk-very-secret" }]', "authorization is not an"],
  ])("[CA2 LL8] of the wire %s: %s", (wire, tools, message) => {
    const options = `{\n"topP": 1,\n"hostedTools": ${tools}\n}`
    const model = `{ "limit": ${JSON.stringify(limit)}, "options": ${options} }`
    const text = `{ "providers": { "mine": { "wire": "${wire}", "baseUrl": "http://127.0.0.1:1", "models": { "m": ${model} } } } }`
    if (message === null)
      return expect(setup(settingsOf(JSON.parse(text) as object), "mine/m").url).toBe("http://127.0.0.1:1")
    const fault = failure(text)
    expect(fault).toMatchObject({ file, line: 3, message: expect.stringContaining(message) })
    expect(fault.message).not.toContain(secret)
  })

  test("[CA2] of a variant and of a provider are faults with their line too", () => {
    const wrong = '{\n"hostedTools": [{}] }'
    const within = (inner: string) => `{ "providers": { "openai": { ${inner} } } }`
    const message = expect.stringContaining("hostedTools is wrong")
    expect(failure(within(`"options": ${wrong}`))).toMatchObject({ line: 2, message })
    const variant = `"models": { "gpt-5.2": { "variants": { "fast": ${wrong} } } }`
    expect(failure(within(variant))).toMatchObject({ line: 2, message })
  })
})

describe("variants", () => {
  const models = {
    "gpt-5.2": {
      options: { temperature: 1, reasoningEffort: "high" },
      variants: { fast: { reasoningEffort: "low" }, still: { reasoningEffort: "none" } },
    },
    "odd:fast": { variants: { fast: {} } },
  }
  const settings = settingsOf({ providers: { openai: { apiKey: secret, models } } })

  test.each([
    ["openai/gpt-5.2", { kind: "effort", effort: "high" }],
    ["openai/gpt-5.2:fast", { kind: "effort", effort: "low" }],
    ["openai/gpt-5.2:still", { kind: "off" }],
  ])("[CA3] %s lays its options over those of the model", (name, reasoning) => {
    const found = setup(settings, name)
    expect(found.target.model).toBe("gpt-5.2")
    expect(found.target.options).toMatchObject({ generation: { temperature: 1 }, model: { reasoning } })
  })

  test("[CA3] a name that holds a colon is taken as it stands first", () => {
    expect(setup(settings, "openai/odd:fast").target.model).toBe("odd:fast")
    expect(setup(settings, "openai/odd:fast:fast").target.model).toBe("odd:fast")
  })

  test.each([
    ["openai/gpt-5.2:slow", "The model openai/gpt-5.2 has no variant slow. It has fast, still."],
    ["openai/gpt-5:fast", "has no variant fast. It has none."],
    ["openai/gpt-none:fast", "has no model gpt-none:fast"],
  ])("[CA3] %s is not found, and what there is is told", (name, said) => {
    const found = resolve(settings, name)
    expect(Result.isFailure(found) && found.failure.message).toContain(said)
  })
})
