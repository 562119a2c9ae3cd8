/** A provider in reserve that is a server of the program: who asks it, starts it. */
import { expect, test } from "vitest"
import { createProviderSim, listen, offlineAgent } from "../../provider-sim/src/index.ts"
import { openHoldfast, type ReserveOptions, settled } from "../src/index.ts"
import { makePlace } from "./place.ts"

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
