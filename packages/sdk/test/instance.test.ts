/** What an instance is set up with, told alike in this process and behind a network. */
import { describe, expect, test } from "vitest"
import { makePlace, surfaces } from "./place.ts"

describe.each(surfaces)("%s", (_, open) => {
  test("[CA1] lists its providers and models, without asking anybody", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { items: providers } = await holdfast.providers.list()
    expect(providers).toMatchObject([{ name: "offline", wire: "anthropic-messages", paid: false, models: 1 }])
    const { items: models } = await holdfast.models.list({ provider: "offline" })
    expect(models).toMatchObject([{ provider: "offline", model: "agent", images: true, default: true }])
  })

  test("[AU1] tells its configuration, and that the program set it", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { model, providers, layers, problems } = await holdfast.config.get()
    const from = { kind: "program", file: null, line: 0 }
    expect(model).toEqual({ value: "offline/agent", from })
    expect(providers).toMatchObject([{ name: "offline", from }])
    expect(layers.map(({ kind }) => kind)).toEqual(["environment", "user", "project"])
    expect(problems).toEqual([])
  })
})
