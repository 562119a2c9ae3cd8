/** The fallback list of the configuration, in a real host with two providers on loopback (CA3). */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { useHost } from "../../../../test/stage/host.ts"
import { openLoopback } from "../../../../test/stage/loopback.ts"
import { createProviderSim, offlineAgent } from "../../../provider-sim/src/index.ts"

test("[CA3] a model of the list, on another wire and with a variant, takes over; then both are verified", async () => {
  const broke = { reply: () => ({ blocks: [], fault: { kind: "out-of-credit" as const } }) }
  await using first = await openLoopback("fallback", {
    sim: () => createProviderSim({ models: { main: broke } }),
    provider: "first",
    models: { main: {} },
  })
  const sim = createProviderSim({ models: { spare: offlineAgent() } })
  await using second = await openLoopback("fallback", {
    sim: () => sim,
    provider: "second",
    wire: "openai-chat",
    more: { profile: "openai" },
    models: { spare: { variants: { calm: { seed: 7 } } } },
  })
  const settings = {
    ...first.settings,
    providers: { ...first.settings.providers, ...second.settings.providers },
    // The first cannot be spoken to and is passed over.
    fallback: ["groq/has-no-key-here", "second/spare:calm"],
  }
  const told = await useHost({ root: first.root, settings }, (host) =>
    Effect.gen(function* () {
      const { id } = yield* host.create({ directory: first.project })
      yield* host.prompt({ sessionID: id, text: "Hello." })
      const result = yield* host.result(id)
      return { result, verified: yield* host.verify(id), events: yield* host.events(id, 0, 1_000, false) }
    }),
  )
  expect(told.result).toMatchObject({ status: "done", model: { provider: "second", model: "spare" } })
  expect(told.verified.map(({ verdict }) => verdict.kind)).toEqual(["same", "same"])
  expect(told.events.map(({ fact }) => fact)).toContainEqual({
    type: "session.updated",
    fallback: {
      from: { provider: "first", model: "main" },
      to: { provider: "second", model: "spare:calm" },
      until: expect.any(Number),
      reason: expect.objectContaining({ code: "quota" }),
      paid: false,
    },
  })
  expect(sim.log.at(-1)?.body).toMatchObject({ model: "spare", seed: 7 })
})
