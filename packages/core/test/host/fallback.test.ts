/** The fallback list of the configuration, in a real host with two providers on loopback (CA3). */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { expect, test } from "vitest"
import { createProviderSim, listen, offlineAgent } from "../../../provider-sim/src/index.ts"
import { decodeUserFile } from "../../src/config/index.ts"
import { openHost } from "../../src/host/index.ts"

test("[CA3] a model of the list, on another wire and with a variant, takes over; then both are verified", async () => {
  const root = await mkdtemp(join(tmpdir(), "holdfast-fallback-"))
  const broke = { reply: () => ({ blocks: [], fault: { kind: "out-of-credit" as const } }) }
  const first = await listen(createProviderSim({ models: { main: broke } }))
  const sim = createProviderSim({ models: { spare: offlineAgent() } })
  const second = await listen(sim)
  try {
    const limit = { context: 200_000, output: 8_192 }
    const text = JSON.stringify({
      providers: {
        first: { wire: "anthropic-messages", baseUrl: first.url, models: { main: { limit } } },
        second: {
          wire: "openai-chat",
          baseUrl: second.url,
          profile: "openai",
          models: { spare: { limit, variants: { calm: { seed: 7 } } } },
        },
      },
      model: "first/main",
      // The first cannot be spoken to and is passed over.
      fallback: ["groq/has-no-key-here", "second/spare:calm"],
    })
    const settings = Result.getOrThrow(decodeUserFile("test", text))
    const options = {
      dataDirectory: join(root, "data"),
      configDirectory: root,
      settings,
      environment: {},
      allow: [],
    }
    const told = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const host = yield* openHost(options)
          const { id } = yield* host.create({ directory: root })
          yield* host.prompt({ sessionID: id, text: "Hello." })
          const result = yield* host.result(id)
          return { result, verified: yield* host.verify(id), events: yield* host.events(id, 0, 1_000, false) }
        }),
      ),
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
  } finally {
    await Promise.all([first.close(), second.close()])
    await rm(root, { recursive: true, force: true })
  }
})
