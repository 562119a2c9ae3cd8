/** Which model is the default, and what is said of a name that leads to none. */
import { Effect, Result } from "effect"
import { describe, expect, test } from "vitest"
import { parseModelRef } from "@holdfast/schema/model"
import {
  asReserve,
  decodeUserFile,
  fallbackFault,
  mergeSettings,
  resolveModels,
  type Settings,
} from "../../src/config/index.ts"
import { defaultModel } from "../../src/config/models.ts"

// Loaded, so that a model can be told of without waiting.
await import("@holdfast/llm/wires")

const secret = "sk-very-secret"
const limit = { context: 100_000, output: 4_096 }
const provider = { wire: "anthropic-messages", baseUrl: "http://127.0.0.1:1", models: { small: { limit } } }
const settings = (value: object): Settings => Result.getOrThrow(decodeUserFile("test", JSON.stringify(value)))
const resolve = (from: Settings, name: string) =>
  Effect.runSync(Effect.result(resolveModels(from, {})(parseModelRef(name))))

describe("[CA1] a provider in reserve", () => {
  const reserve = asReserve(settings({ providers: { spare: { ...provider, models: { agent: { limit } } } } }))
  const chosen = (...layers: readonly Settings[]) => defaultModel(mergeSettings(reserve, ...layers))
  const keyed = (name: string) => settings({ providers: { [name]: { apiKey: secret } } })

  test("answers where nothing else is configured", () =>
    expect(chosen()).toEqual({ provider: "spare", model: "agent" }))

  test.each([
    ["a key alone", keyed("anthropic"), { provider: "anthropic", model: "claude-sonnet-4-6" }],
    [
      "the only model of a file",
      settings({ providers: { local: provider } }),
      { provider: "local", model: "small" },
    ],
    ["a provider without a default", keyed("openrouter"), null],
    [
      "a chosen model, also one that nobody knows",
      settings({ model: "nope/x" }),
      { provider: "nope", model: "x" },
    ],
  ])("leaves the default to %s", (_, layer, model) => expect(chosen(layer)).toEqual(model))

  test("is found by its name beside others", () => {
    const found = resolve(mergeSettings(reserve, keyed("anthropic")), "spare/agent")
    expect(Result.isSuccess(found)).toBe(true)
  })
})

describe("[CA1] what is said of a name", () => {
  const said = (from: Settings, name: string) => {
    const found = resolve(from, name)
    if (Result.isSuccess(found)) throw new Error("It was found.")
    return found.failure
  }
  const keyed = settings({ providers: { anthropic: { apiKey: secret } } })

  test("of a known provider without a key is which variable is missing", () =>
    expect(said(settings({}), "anthropic/claude-sonnet-4-6")).toMatchObject({
      code: "credential",
      message:
        "The provider anthropic takes its key from the variable ANTHROPIC_API_KEY, which is not set. Set it, then try again.",
    }))

  test("of a known provider that needs no key is how to configure it", () =>
    expect(said(settings({}), "ollama/any").message).toBe(
      'The provider ollama is not configured. Name it in holdfast.jsonc: {"providers": {"ollama": {}}}.',
    ))

  test.each([
    ["anthropic/claude-sonet-4-6", "The provider anthropic has no model claude-sonet-4-6."],
    ["antropic/claude-sonnet-4-6", "There is no provider antropic."],
  ])("that is misspelt, %s, are the nearest ones and no list", (name, fault) => {
    for (const from of [keyed, settings({})]) {
      const { message, code } = said(from, name)
      expect(message).toMatch(new RegExp(`^${fault} Did you mean anthropic/claude-sonnet-4-6`))
      expect(message.match(/anthropic\//g)?.length).toBeLessThanOrEqual(3)
      expect(code).toBeUndefined()
    }
  })

  test("that is like no other are a few that there are", () => {
    const { message } = said(keyed, "far/away")
    expect(message).toMatch(/^There is no provider far\. Configured: anthropic\/claude-sonnet-4-6, /)
    expect(message).toMatch(/ and \d+ more; `holdfast models` lists them\.$/)
  })
})

describe("[CA3] a fallback list", () => {
  const faultOf = (fallback: readonly string[]) =>
    fallbackFault(settings({ providers: { local: provider }, fallback }), {}, new Map())?.message ?? null

  test.each([
    ["nope/x", '"fallback" names nope/x. There is no provider nope. Configured: local/small.'],
    [
      "local/smal",
      '"fallback" names local/smal. The provider local has no model smal. Did you mean local/small?',
    ],
    ["anthropic/none-such", '"fallback" names anthropic/none-such. The provider anthropic has no model'],
  ])("that names %s is a fault", (name, fault) => expect(faultOf(["local/small", name])).toContain(fault))

  test("may name a known model whose key is not here", () =>
    expect(faultOf(["openai/gpt-5.4", "groq/anything", "local/small"])).toBeNull())
})
