/** Every wire that a file can name, from its configuration to a verified record, on loopback (LL1, CA1). */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { expect, test } from "vitest"
import { createProviderSim, listen, offlineAgent } from "../../../provider-sim/src/index.ts"
import { decodeUserFile } from "../../src/config/index.ts"
import { openHost } from "../../src/host/index.ts"

test.each<readonly [string, object]>([
  ["anthropic-messages", {}],
  ["openai-responses", {}],
  ["openai-chat", { profile: "openai" }],
  ["gemini", {}],
  ["bedrock-converse", {}],
])("[LL1 CA1] %s answers with a call, and its requests are rebuilt", async (wire, more) => {
  const root = await mkdtemp(join(tmpdir(), "holdfast-wires-"))
  const sim = await listen(createProviderSim({ models: { agent: offlineAgent() }, apiKeys: ["right-key"] }))
  try {
    await writeFile(join(root, "README.md"), "# Greeter\n\nPrints a greeting.\n")
    const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
    const mine = { wire, baseUrl: sim.url, apiKeyEnv: "MINE", models, ...more }
    const environment = { MINE: "right-key" }
    const text = JSON.stringify({ providers: { mine } })
    const settings = Result.getOrThrow(decodeUserFile("test", text, environment))
    const options = { dataDirectory: join(root, "data"), configDirectory: root, settings, environment }
    const told = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const host = yield* openHost({ ...options, allow: [] })
          const { id } = yield* host.create({ directory: root })
          yield* host.prompt({ sessionID: id, text: "Read README.md." })
          const { status, reason, text: said, turns } = yield* host.result(id)
          const verified = yield* host.verify(id)
          return { status, reason, said, turns, verdicts: verified.map(({ verdict }) => verdict.kind) }
        }),
      ),
    )
    expect(told).toMatchObject({ status: "done", reason: null, said: expect.stringContaining("Greeter") })
    expect(told.turns).toBeGreaterThan(1)
    expect(new Set(told.verdicts)).toEqual(new Set(["same"]))
  } finally {
    await sim.close()
    await rm(root, { recursive: true, force: true })
  }
})
