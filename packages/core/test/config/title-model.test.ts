import { describe, expect, test } from "vitest"
import { findModel } from "@holdfast/llm"
import { findProvider, isListed, knownNames } from "../../src/config/known-providers.ts"
import { noSettings, type ProviderSettings, type Settings } from "../../src/config/settings.ts"
import { titleModelFor } from "../../src/config/title-model.ts"

const providerAt = (baseUrl: string): ProviderSettings => ({
  wire: "anthropic-messages",
  baseUrl,
  key: { kind: "none" },
  models: new Map(),
})
const settingsWith = (baseUrl: string, more: Partial<Settings> = {}): Settings => ({
  ...noSettings,
  providers: new Map([["anthropic", providerAt(baseUrl)]]),
  ...more,
})
const sonnet = { provider: "anthropic", model: "claude-sonnet-4-6" }
const home = "https://api.anthropic.com"

describe("[SS2] the model that writes titles", () => {
  test("is the configured one", () => {
    const titleModel = { provider: "local", model: "small" }
    expect(titleModelFor(settingsWith(home, { titleModel }), sonnet)).toEqual(titleModel)
  })

  test("is else the small one of the same provider", () =>
    expect(titleModelFor(settingsWith(home), sonnet)).toEqual({
      provider: "anthropic",
      model: "claude-haiku-4-5",
    }))

  test("is one that the catalog knows with its price, wherever there is one", () => {
    for (const name of knownNames()) {
      const model = findProvider(name, {})?.smallModel ?? null
      if (model === null) continue
      expect(isListed(name, model), name).toBe(true)
      expect(findModel({ provider: name, model }).price, name).not.toBeNull()
    }
  })

  test("is that for the default model too", () =>
    expect(titleModelFor(settingsWith(home), null)?.model).toBe("claude-haiku-4-5"))

  test.each([
    ["at an address that the catalog does not know", settingsWith("http://127.0.0.1:1"), sonnet],
    ["of a provider that the catalog does not know", settingsWith(home), { provider: "mine", model: "m" }],
    ["where the chosen one is the small one", settingsWith(home), { ...sonnet, model: "claude-haiku-4-5" }],
    ["where nothing is configured", noSettings, null],
  ])("is none %s", (_, settings, of) => expect(titleModelFor(settings, of)).toBeNull())
})
