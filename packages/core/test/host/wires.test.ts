/** Every wire that a file can name, from its configuration to a verified record, on loopback (LL1, CA1). */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { useHost } from "../../../../test/stage/host.ts"
import { openLoopback } from "../../../../test/stage/loopback.ts"
import { createProviderSim, offlineAgent } from "../../../provider-sim/src/index.ts"

test.each<readonly [string, object]>([
  ["anthropic-messages", {}],
  ["openai-responses", {}],
  ["openai-chat", { profile: "openai" }],
  ["gemini", {}],
  ["bedrock-converse", {}],
])("[LL1 CA1] %s answers with a call, and its requests are rebuilt", async (wire, more) => {
  const sim = createProviderSim({ models: { agent: offlineAgent() }, apiKeys: ["right-key"] })
  await using place = await openLoopback("wires", {
    sim: () => sim,
    wire,
    more: { apiKeyEnv: "MINE", ...more },
  })
  const told = await useHost({ ...place, environment: { MINE: "right-key" } }, (host) =>
    Effect.gen(function* () {
      const { id } = yield* host.create({ directory: place.project })
      yield* host.prompt({ sessionID: id, text: "Read README.md." })
      const { status, reason, text: said, turns } = yield* host.result(id)
      const verified = yield* host.verify(id)
      return { status, reason, said, turns, verdicts: verified.map(({ verdict }) => verdict.kind) }
    }),
  )
  expect(told).toMatchObject({ status: "done", reason: null, said: expect.stringContaining("Greeter") })
  expect(told.turns).toBeGreaterThan(1)
  expect(new Set(told.verdicts)).toEqual(new Set(["same"]))
})
