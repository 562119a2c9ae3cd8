// Durable events: read some, stop, go on after the last sequence. Nothing is missed and nothing comes twice.
import assert from "node:assert/strict"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { createProviderSim, listen, offlineAgent } from "@holdfast/provider-sim"
import { openHoldfast } from "@holdfast/sdk"

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
  if (!("seq" in event)) break // The Session was deleted: nothing follows.
  const { seq, fact } = event
  console.log(`${seq} ${fact.type}`)
  last = seq
  if (fact.type === "call.started") break
}
console.log("… the reader was away …")

// It may be another process by now: the events after that number are all that it lacks.
const seen: number[] = []
for await (const event of sessions.events({ sessionID, after: last })) {
  if (!("seq" in event)) break
  const { seq, fact } = event
  console.log(`${seq} ${fact.type}`)
  seen.push(seq)
  if (fact.type === "turn.settled" && fact.status === "done") break
}
assert.deepEqual(
  seen,
  seen.map((_, index) => last + 1 + index),
)
await holdfast.close()
await sim.close()
