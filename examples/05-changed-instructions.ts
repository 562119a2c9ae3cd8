// Instructions change in the middle of a Session: what was sent stays as it was, and one message tells what holds now.
import assert from "node:assert/strict"
import { mkdtempDisposable, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { createProviderSim, listen, scripted, textReply } from "@holdfast/provider-sim"
import { openHoldfast, settled } from "@holdfast/sdk"

await using folder = await mkdtempDisposable(`${tmpdir()}/holdfast-`)
const requests: { readonly system: string; readonly words: string }[] = []
const listening = scripted(({ system, messages }) => {
  requests.push({ system, words: JSON.stringify(messages) })
  return textReply("Understood.")
})
const sim = await listen(createProviderSim({ models: { agent: listening } }))
const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
const providers = { offline: { wire: "anthropic-messages", baseUrl: sim.url, models } } as const
const places = { directory: folder.path, dataDir: `${folder.path}/data` }
const holdfast = await openHoldfast({ ...places, providers, model: "offline/agent" })
const { sessions } = holdfast

const { id: sessionID } = await sessions.create()
for (const instruction of ["Answer in English.", "Answer in French."]) {
  await writeFile(`${folder.path}/AGENTS.md`, `${instruction}\n`)
  await sessions.prompt({ sessionID, text: "Who are you?" })
  await settled(holdfast, { sessionID })
}

// The Baseline, byte for byte the same in both requests, and the news at its place in time.
const [first, second] = requests
assert.match(first?.system ?? "", /Answer in English\./)
assert.equal(second?.system, first?.system)
assert.match(second?.words ?? "", /Answer in French\./)
// Each request repeats the one before it, so the provider's cache holds. The log can prove both.
const { items: verified } = await sessions.verify({ sessionID })
console.log(
  `${requests.length} requests, one Baseline; rebuilt: ${verified.map(({ verdict }) => verdict.kind).join(", ")}`,
)
assert.ok(verified.every(({ verdict }) => verdict.kind === "same"))
await holdfast.close()
await sim.close()
