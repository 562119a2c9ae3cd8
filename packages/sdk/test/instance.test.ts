/** What an instance is set up with, told alike in this process and behind a network. */
import { describe, expect, test } from "vitest"
import { createProviderSim, listen, offlineAgent } from "../../provider-sim/src/index.ts"
import { openHoldfast, type ReserveOptions, settled } from "../src/index.ts"
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

const spare: ReserveOptions = {
  wire: "anthropic-messages",
  baseUrl: "http://127.0.0.1:0",
  models: { agent: { limit: { context: 200_000, output: 8_192 } } },
}

test("[CA1] a provider in reserve is started by the first request to it, and by no other", async () => {
  await using place = await makePlace()
  let starts = 0
  let sim: Awaited<ReturnType<typeof listen>> | undefined
  const start = async () => {
    starts += 1
    sim ??= await listen(createProviderSim({ models: { agent: offlineAgent() } }))
    return sim.url
  }
  await using holdfast = await openHoldfast({ ...place.options, reserve: { spare: { ...spare, start } } })
  const answered = async (model?: string) => {
    const { id: sessionID } = await holdfast.sessions.create(model === undefined ? {} : { model })
    await holdfast.sessions.prompt({ sessionID, text: "Hello." })
    return (await settled(holdfast, { sessionID })).status
  }
  expect([await answered(), starts]).toEqual(["done", 0])
  expect([await answered("spare/agent"), starts]).toEqual(["done", 1])
  await sim?.close()
})

test("[CA1 FA1] a provider in reserve that cannot start blocks its turn, and the reason is told", async () => {
  await using place = await makePlace()
  const start = () => Promise.reject(new Error("no port is free"))
  await using holdfast = await openHoldfast({ ...place.options, reserve: { spare: { ...spare, start } } })
  const { id: sessionID } = await holdfast.sessions.create({ model: "spare/agent" })
  await holdfast.sessions.prompt({ sessionID, text: "Hello." })
  expect(await settled(holdfast, { sessionID })).toMatchObject({
    status: expect.not.stringMatching("done") as string,
    reason: { message: expect.stringContaining("no port is free") as string },
  })
})
