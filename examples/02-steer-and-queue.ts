// Prompts sent while a turn runs. A steer is taken at the next turn; a queued prompt waits until all else is done.
import assert from "node:assert/strict"
import { mkdtempDisposable, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { createProviderSim, listen, offlineAgent } from "@holdfast/provider-sim"
import { openHoldfast } from "@holdfast/sdk"

await using folder = await mkdtempDisposable(`${tmpdir()}/holdfast-`)
const sim = await listen(createProviderSim({ models: { agent: offlineAgent() } }))
const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
const providers = { offline: { wire: "anthropic-messages", baseUrl: sim.url, models } } as const
const places = { directory: folder.path, dataDir: `${folder.path}/data` }
const holdfast = await openHoldfast({ ...places, providers, model: "offline/agent", allow: ["bash"] })
const { sessions } = holdfast

// The first prompt starts a command that runs until there is a file named "go".
const { id: sessionID } = await sessions.create()
await sessions.prompt({ sessionID, id: "first", text: "Run `until test -e go; do sleep 0.1; done`." })
for await (const event of sessions.events({ sessionID }))
  if ("fact" in event && event.fact.type === "call.started") break

// Each call resolves when its prompt is on disk. Sent again with the same id it would change nothing.
await sessions.prompt({ sessionID, id: "queued", text: "Run `echo at last`.", delivery: "queue" })
await sessions.prompt({ sessionID, id: "steered", text: "Run `echo at once`.", delivery: "steer" })
await writeFile(`${folder.path}/go`, "")

const order: string[] = []
for await (const event of sessions.events({ sessionID })) {
  if (!("fact" in event)) break // The Session was deleted.
  const { fact } = event
  if (fact.type === "prompt.promoted") order.push(fact.prompt)
  if (fact.type === "turn.settled") order.push(fact.status)
  if (order.length === 8) break
}
console.log(order.join(" · "))
assert.deepEqual(order, ["first", "continue", "steered", "continue", "done", "queued", "continue", "done"])
await holdfast.close()
await sim.close()
