// A model of your own, as a list of replies with faults among them: what passes is retried, and the ledger tells.
import assert from "node:assert/strict"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { createProviderSim, faulty, listen, scripted, textReply } from "@holdfast/provider-sim"
import { isFailure, openHoldfast, settled } from "@holdfast/sdk"

await using folder = await mkdtempDisposable(`${tmpdir()}/holdfast-`)
const replies = [faulty({ kind: "overloaded" }), textReply("Here I am."), faulty({ kind: "unauthorized" })]
const sim = await listen(createProviderSim({ models: { agent: scripted(replies) } }))
const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
const providers = { mine: { wire: "anthropic-messages", baseUrl: sim.url, models } } as const
const places = { directory: folder.path, dataDir: folder.path }
const holdfast = await openHoldfast({ ...places, providers, model: "mine/agent" })
const { sessions } = holdfast
const { id: sessionID } = await sessions.create()

// Overload passes, so the attempt is made again. It is still one turn.
await sessions.prompt({ sessionID, text: "Are you there?" })
const answered = await settled(holdfast, { sessionID })
assert.deepEqual([answered.status, answered.text, answered.turns], ["done", "Here I am.", 1])

// A wrong key does not pass: the turn fails, and the Session owes an answer until it is resumed.
await sessions.prompt({ sessionID, text: "And now?" })
assert.equal((await settled(holdfast, { sessionID })).status, "failed")
assert.equal((await sessions.get({ sessionID })).status.owing, true)

for await (const event of sessions.events({ sessionID })) {
  if (!("fact" in event) || event.fact.type !== "turn.settled") continue
  const { fact } = event
  console.log(`${fact.status}, attempts: ${fact.ledger.attempts.length}. ${fact.reason?.message ?? ""}`)
  if (fact.status === "failed") break
}
// What a caller did wrong is a failure with a tag, and says what to do.
const missing = await sessions.get({ sessionID: "ses_none" }).catch((caught: unknown) => caught)
assert.ok(isFailure(missing, "SessionNotFound"))
console.log(missing.message)
await holdfast.close()
await sim.close()
