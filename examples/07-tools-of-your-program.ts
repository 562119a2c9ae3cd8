// Your program offers the model a tool and tells it a fact. Both are plain functions of this process.
import assert from "node:assert/strict"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { createProviderSim, listen, scripted, textReply } from "@holdfast/provider-sim"
import { openHoldfast, settled } from "@holdfast/sdk"

await using folder = await mkdtempDisposable(`${tmpdir()}/holdfast-`)
// A model that calls the tool once a prompt, then repeats what it read, behind its tag (`§12§ `).
const clerk = scripted(({ messages }) => {
  const result = messages.at(-1)?.blocks.find((block) => block.type === "tool_result")
  if (result !== undefined) return textReply(result.text.replace(/^§\d+§ /, ""))
  return { blocks: [{ type: "tool_use", name: "sell", input: { count: 2 } }] }
})
const sim = await listen(createProviderSim({ models: { clerk } }))
const models = { clerk: { limit: { context: 200_000, output: 8_192 } } }
const providers = { offline: { wire: "anthropic-messages", baseUrl: sim.url, models } } as const
const places = { directory: folder.path, dataDir: `${folder.path}/data` }
const holdfast = await openHoldfast({ ...places, providers, model: "offline/clerk" })

let stock = 5
await holdfast.tools.register({
  name: "sell",
  description: "Sells so many apples.",
  inputSchema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
  run: (input) => `${(stock -= (input as { count: number }).count)} apples are left.`,
})
const tell = (count: unknown) => `There are ${String(count)} apples in stock.`
await holdfast.sources.register({ key: "shop/stock", load: () => stock, baseline: tell, update: tell })

const { id: sessionID } = await holdfast.sessions.create()
await holdfast.sessions.prompt({ sessionID, text: "Sell two apples." })
const { text } = await settled(holdfast, { sessionID })
// The fact changed with the call, so the next turn told the model, in one message at its place in time.
const { items } = await holdfast.sessions.context({ sessionID })
console.log(`${items.map(({ kind }) => kind).join(" · ")}: ${text}`)
assert.equal(text, "3 apples are left.")
assert.deepEqual(items.map((message) => (message.kind === "system" ? message.text : "")).join(""), tell(3))
await holdfast.close()
await sim.close()
