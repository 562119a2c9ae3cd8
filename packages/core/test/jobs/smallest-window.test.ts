/** How large a window the historian's chunk has to fit into. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { smallestWindow } from "@holdfast/core/historian/ask"
import { ModelNotFound } from "@holdfast/schema/error"

type Ports = Parameters<typeof smallestWindow>[0]

const windows = new Map([
  ["large", 200_000],
  ["small", 32_000],
])

const ports = {
  model: (ref: { readonly model: string }) => {
    const contextTokens = windows.get(ref.model)
    return contextTokens === undefined
      ? Effect.fail(new ModelNotFound({ model: ref.model, message: "No provider knows it." }))
      : Effect.succeed({ contextTokens })
  },
} as unknown as Ports

test.each([
  [["large", "small"], 32_000],
  [["large", "nobody"], 200_000],
  [["nobody"], 0],
])("[HI1 HI8] whichever of %j writes, a chunk fits into %i tokens", (names, tokens) => {
  const models = names.map((model) => ({ provider: "sim", model }))
  expect(Effect.runSync(smallestWindow(ports, { models, prompt: null }))).toBe(tokens)
})
