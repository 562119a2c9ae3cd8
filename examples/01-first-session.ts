import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { createProviderSim, listen, offlineAgent } from "@holdfast/provider-sim"
import { openHoldfast, settled } from "@holdfast/sdk"

await using folder = await mkdtempDisposable(`${tmpdir()}/holdfast-`)
const sim = await listen(createProviderSim({ models: { agent: offlineAgent() } }))
const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
const providers = { offline: { wire: "anthropic-messages", baseUrl: sim.url, models } } as const
const holdfast = await openHoldfast({ dataDir: folder.path, providers, model: "offline/agent" })

const { id: sessionID } = await holdfast.sessions.create({ directory: process.cwd() })
await holdfast.sessions.prompt({ sessionID, text: "Read README.md and say what it is about." })
const { status, text } = await settled(holdfast, { sessionID })
console.log(`${status}: ${text}`)
await holdfast.close()
await sim.close()
