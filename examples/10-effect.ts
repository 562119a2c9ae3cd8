// The same with Effect: failures are in the types, streams are Streams, and the end of the scope closes everything.
import assert from "node:assert/strict"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { Effect, Stream } from "effect"
import { createProviderSim, listen, offlineAgent } from "@holdfast/provider-sim"
import { openHoldfast } from "@holdfast/sdk/effect"

await using folder = await mkdtempDisposable(`${tmpdir()}/holdfast-`)
const sim = await listen(createProviderSim({ models: { agent: offlineAgent() } }))
const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
const providers = { offline: { wire: "anthropic-messages", baseUrl: sim.url, models } } as const

const program = Effect.gen(function* () {
  const { sessions } = yield* openHoldfast({ dataDir: folder.path, providers, model: "offline/agent" })
  const { id: sessionID } = yield* sessions.create({ directory: process.cwd() })
  yield* sessions.prompt({ sessionID, text: "Read README.md." })
  const facts = yield* sessions.events({ sessionID }).pipe(
    Stream.map((event) => ("fact" in event ? event.fact : null)),
    Stream.takeUntil((fact) => fact?.type === "turn.settled" && fact.status === "done"),
    Stream.runCollect,
  )
  // What may go wrong is a type, and a failure that is handled leaves it.
  const missing = yield* sessions
    .get({ sessionID: "ses_none" })
    .pipe(Effect.catchTag("SessionNotFound", ({ message }) => Effect.succeed(message)))
  return { facts, missing }
})
const { facts, missing } = await Effect.runPromise(Effect.scoped(program))
console.log(`${facts.length} events, the last is ${facts.at(-1)?.type}. ${String(missing)}`)
assert.equal(facts[0]?.type, "session.created")
assert.equal(facts.at(-1)?.type, "turn.settled")
await sim.close()
