// A fork: another Session with the same past up to a message. Both go on, and neither sees the other.
import assert from "node:assert/strict"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { createProviderSim, listen, scripted, textReply } from "@holdfast/provider-sim"
import { openHoldfast, settled } from "@holdfast/sdk"

await using folder = await mkdtempDisposable(`${tmpdir()}/holdfast-`)
const asked: string[][] = []
const listening = scripted(({ messages }) => {
  const words = messages.flatMap(({ blocks }) => blocks).map((block) => ("text" in block ? block.text : ""))
  asked.push(words.map((text) => text.replace(/^§\d+§ /, ""))) // the words, without their tags
  return textReply(`Answer ${asked.length}.`)
})
const sim = await listen(createProviderSim({ models: { agent: listening } }))
const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
const providers = { offline: { wire: "anthropic-messages", baseUrl: sim.url, models } } as const
const places = { directory: folder.path, dataDir: `${folder.path}/data` }
const holdfast = await openHoldfast({ ...places, providers, model: "offline/agent" })
const { sessions } = holdfast
const say = async (sessionID: string, text: string): Promise<string> => {
  await sessions.prompt({ sessionID, text })
  return (await settled(holdfast, { sessionID })).text
}

const { id: trunk } = await sessions.create()
await say(trunk, "Plan the garden.")
const { items } = await sessions.messages({ sessionID: trunk })
await say(trunk, "With roses.")

// At the first answer, so the roses are not part of it. An id of yours makes a repeat the same Session.
const messageID = items.findLast(({ kind }) => kind === "assistant")?.id ?? ""
const { id: branch } = await sessions.fork({ sessionID: trunk, messageID, title: "Another garden" })
await say(branch, "With herbs.")
const [first = [], roses = [], herbs = []] = asked
console.log(`${roses.join(" ")}\n${herbs.join(" ")}`)
assert.deepEqual(roses, [...first, "Answer 1.", "With roses."])
assert.deepEqual(herbs, [...first, "Answer 1.", "With herbs."])
await holdfast.close()
await sim.close()
