import assert from "node:assert/strict"
import { mkdtempDisposable, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { createProviderSim, listen, offlineAgent } from "@holdfast/provider-sim"
import { openHoldfast } from "@holdfast/sdk"

await using folder = await mkdtempDisposable(`${tmpdir()}/holdfast-`)
await writeFile(`${folder.path}/README.md`, "# Greeter\n\nPrints a greeting.\n")
const sim = await listen(createProviderSim({ models: { agent: offlineAgent() } }))
const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
const providers = { offline: { wire: "anthropic-messages", baseUrl: sim.url, models } } as const
const holdfast = await openHoldfast({ dataDir: `${folder.path}/data`, providers, model: "offline/agent" })

const { id: sessionID } = await holdfast.sessions.create({ directory: folder.path })
await holdfast.sessions.prompt({ sessionID, text: "Read README.md and say what it is about." })
const { status, text } = await holdfast.sessions.result({ sessionID })
console.log(text)
assert.equal(status, "done")
await holdfast.close()
await sim.close()
