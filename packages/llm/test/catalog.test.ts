/** Rows of Gemini and of Bedrock: names that requests can use, their limits and their prices. */
import { expect, test } from "vitest"
import { catalogModels, findModel, priceFor } from "../src/catalog.ts"

const google = (model: string) => findModel({ provider: "google", model })
const bedrock = (model: string) => findModel({ provider: "bedrock", model })

test.each([
  ["gemini-2.5-pro", 200_000, [1.25, 10, 0.125], "budget", 4_096],
  ["gemini-2.5-flash", 1_048_576, [0.3, 2.5, 0.03], "budget", 1_024],
  ["gemini-2.5-flash-lite", 1_048_576, [0.1, 0.4, 0.01], "budget", 4_096],
  ["gemini-3-pro-preview", 200_000, [2, 12, 0.2], "effort", 4_096],
] as const)("[CA1] %s has its window, its price and its cache", (model, window, dollars, reasoning, min) => {
  const { price, ...facts } = google(model)
  expect([price?.input, price?.output, price?.cacheRead]).toEqual(dollars)
  expect(facts).toMatchObject({
    wire: "gemini",
    contextTokensMax: window,
    outputTokensMax: 65_536,
    reasoning,
    cache: "automatic",
    cacheTokensMin: min,
    images: true,
    source: "documented",
  })
})

test.each([
  ["global.anthropic.claude-sonnet-4-5-20250929-v1:0", 3, 15],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", 3.3, 16.5],
  ["eu.anthropic.claude-haiku-4-5-20251001-v1:0", 1.1, 5.5],
  ["us.amazon.nova-micro-v1:0", 0.035, 0.14],
  ["amazon.nova-pro-v1:0", 0.8, 3.2],
])("[CA1] %s costs what its area costs", (model, input, output) => {
  expect(bedrock(model)).toMatchObject({ wire: "bedrock-converse", cache: "markers", source: "documented" })
  expect(bedrock(model).price).toMatchObject({ input, output })
})

test("[CA1] a prefix of Claude that lives for an hour has its price behind Bedrock too", () => {
  expect(priceFor(bedrock("global.anthropic.claude-opus-4-6-v1"), "1h")).toMatchObject({ cacheWrite: 10 })
})

test("[CA1] what is not certain is said to be assumed, and an id that is not listed has no price", () => {
  expect(bedrock("eu.anthropic.claude-opus-4-8").source).toBe("assumed")
  expect(bedrock("eu.amazon.nova-micro-v1:0")).toMatchObject({ source: "assumed", price: null })
  expect(catalogModels("bedrock").length).toBeGreaterThan(20)
})
