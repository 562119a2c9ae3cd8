/** Models that a program brings along, in the list of those that can be used. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { nothingConfigured } from "../../src/config/index.ts"
import { type GivenModel, withGivenListing } from "../../src/host/given-models.ts"

const given = (contextTokens: number): GivenModel => ({
  model: {} as GivenModel["model"],
  contextTokens,
  outputTokens: 1_000,
  price: null,
  systemRole: false,
  providerOptions: null,
})

const models = new Map([
  ["mine/small", given(10_000)],
  ["mine/large", given(20_000)],
  ["theirs/one", given(30_000)],
])

test("[EM2] given models are listed by provider, with their place in the fallback list", () => {
  const settings = {
    model: { provider: "mine", model: "small" },
    fallback: [{ provider: "theirs", model: "one" }],
  }
  const { listing } = withGivenListing(nothingConfigured, models, settings)
  const { providers } = Effect.runSync(listing())
  expect(providers).toMatchObject([
    {
      name: "mine",
      wire: "ai-sdk",
      key: "none",
      models: [
        { model: "small", default: true, fallback: null, contextTokens: 10_000 },
        { model: "large", default: false, fallback: null },
      ],
    },
    { name: "theirs", models: [{ model: "one", default: false, fallback: 1 }] },
  ])
  expect(Effect.runSync(listing("theirs")).providers).toHaveLength(1)
})
