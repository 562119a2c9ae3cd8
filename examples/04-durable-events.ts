// Durable events: read some, stop, go on after the last sequence. Nothing is missed and nothing comes twice.
import assert from "node:assert/strict"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { createProviderSim, listen, offlineAgent } from "@holdfast/provider-sim"
import { isDeletion, openHoldfast } from "@holdfast/sdk"

await using folder = await mkdtempDisposable(`${tmpdir()}/holdfast-`)
const sim = await listen(createProviderSim({ models: { agent: offlineAgent() } }))
const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
const providers = { offline: { wire: "anthropic-messages", baseUrl: sim.url, models } } as const
const holdfast = await openHoldfast({ dataDir: folder.path, providers, model: "offline/agent" })
const { sessions } = holdfast

const { id: sessionID } = await sessions.create({ directory: process.cwd() })
await sessions.prompt({ sessionID, text: "Read README.md." })

// A reader that leaves in the middle. What it keeps is one number.
let last = 0
for await (const event of sessions.events({ sessionID })) {
  if (isDeletion(event)) break
  console.log(`${event.seq} ${event.fact.type}`)
  last = event.seq
  if (event.fact.type === "call.started") break
}
console.log("… the reader was away …")

// It may be another process by now: the events after that number are all that it lacks.
const seen: number[] = []
for await (const event of sessions.events({ sessionID, after: last })) {
  if (isDeletion(event)) break
  console.log(`${event.seq} ${event.fact.type}`)
  seen.push(event.seq)
  if (event.fact.type === "turn.settled" && event.fact.status === "done") break
}
const expected = seen.map((_, index) => last + 1 + index)
assert.deepEqual(seen, expected)
await holdfast.close()
await sim.close()
