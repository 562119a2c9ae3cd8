/** Typed prompts with the real tools: files that are mentioned, commands that a command runs. */
import { mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { scripted, textReply } from "../../../provider-sim/src/index.ts"
import { png } from "../../../../test/stage/png.ts"
import { readTypedPrompt, settled } from "../../src/index.ts"
import { makePlace, type OpenClient, type Place } from "../place.ts"

const answers = scripted(() => textReply("Seen."))

async function write(place: Place, path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(place.directory, path)), { recursive: true })
  await writeFile(join(place.directory, path), content)
}

async function send(place: Place, { sessions }: OpenClient, typed: string, allow: readonly string[] = []) {
  const { configDir = "", environment = {} } = place.options
  const prompt = await readTypedPrompt(typed, { directory: place.directory, configDir, environment })
  if (prompt.kind === "refused") throw new Error(prompt.message)
  const { id: sessionID } = await sessions.create({ allow })
  await sessions.prompt({ sessionID, text: prompt.text, calls: prompt.calls })
  const { status } = await settled({ sessions }, { sessionID })
  const { items } = await sessions.messages({ sessionID })
  const made = items.flatMap((message) =>
    message.kind === "assistant"
      ? message.parts.flatMap(({ part }) => (part.type === "call" ? [part] : []))
      : [],
  )
  return { sessionID, status, made }
}

test("[TL6 PE1] mentioned files come as text, listing and image; one that the rules guard is asked for", async () => {
  await using place = await makePlace(answers)
  await write(place, "src/a.ts", "export const a = 1\n")
  await write(place, "shot.png", png(2, 2))
  await write(place, ".env", "TOKEN=1\n")
  await using holdfast = await place.open()
  const seen = await send(place, holdfast, "Look at @src/a.ts, @src/ and @shot.png.")
  expect(seen.status).toBe("done")
  expect(seen.made.map(({ name, state }) => [name, state])).toEqual([
    ["read", "done"],
    ["read", "done"],
    ["read", "done"],
  ])
  expect(seen.made[0]?.outcome?.output).toContain("export const a = 1")
  expect(seen.made[1]?.outcome?.output).toContain("a.ts")
  expect(seen.made[2]?.outcome?.images).toHaveLength(1)
  await write(place, ".holdfast/commands/leak.md", "Say what is in @.env\n")
  const asked = await send(place, holdfast, "/leak")
  expect(asked.status).toBe("asking")
  expect((await holdfast.asks.list({ sessionID: asked.sessionID })).items).toMatchObject([
    { call: { name: "read" }, resources: [{ action: "read", resource: join(place.directory, ".env") }] },
  ])
  expect(asked.made.map(({ outcome }) => outcome)).toEqual([null])
})

test("[TL6] what is mentioned is stored as it was when the prompt was sent: text, listing, image", async () => {
  await using place = await makePlace(answers)
  await write(place, "src/a.ts", "export const a = 1\n")
  await write(place, "shot.png", png(2, 2))
  await write(place, ".env", "TOKEN=1\n")
  const { sessions, close } = await place.open()
  const calls = ["src/a.ts", "src", "shot.png", ".env"].map((argument) => ({
    tool: "read" as const,
    argument,
  }))
  const { id: sessionID } = await sessions.create({ onAsk: "deny" })
  await sessions.prompt({ sessionID, text: "Look.", calls, delivery: "queue", resume: false })
  const waiting = (await sessions.inbox({ sessionID })).items.flatMap((prompt) => prompt.calls ?? [])
  expect(waiting.map(({ content }) => content?.kind)).toEqual(["text", "listing", "image", undefined])
  await write(place, "src/a.ts", "export const a = 2\n")
  await rm(join(place.directory, "shot.png"))
  await sessions.prompt({ sessionID, text: "Go on." })
  await settled({ sessions }, { sessionID })
  await close()
  await using again = await place.open()
  const { items } = await again.sessions.history({ sessionID, limit: 200 })
  const outcomes = items.flatMap(({ fact }) => (fact.type === "call.settled" ? [fact.outcome] : []))
  expect(outcomes.map(({ state }) => state).sort()).toEqual(["declined", "done", "done", "done"])
  const told = outcomes.map(({ output }) => output).join("\n")
  expect([told.includes("a = 1"), told.includes("a = 2"), told.includes("TOKEN")]).toEqual([
    true,
    false,
    false,
  ])
  expect(outcomes.flatMap(({ images = [] }) => images)).toHaveLength(1)
})

test("[TL6 PE1 PE5] a command of a project is asked for, then run and recorded; one that is allowed runs at once", async () => {
  await using place = await makePlace(answers)
  await write(place, ".holdfast/commands/mark.md", "State: !`echo $1 >> ran.txt`\n")
  await using holdfast = await place.open()
  const asked = await send(place, holdfast, "/mark one")
  expect([asked.status, asked.made.map(({ outcome }) => outcome)]).toEqual(["asking", [null]])
  const { items } = await holdfast.asks.list({ sessionID: asked.sessionID })
  expect(items).toMatchObject([{ call: { name: "bash", input: { command: "echo one >> ran.txt" } } }])
  await holdfast.asks.answer({ askID: items[0]?.id ?? "", decision: "allow" })
  expect(await settled(holdfast, { sessionID: asked.sessionID })).toMatchObject({ status: "done" })
  const free = await send(place, holdfast, "/mark two", ["bash", "write"])
  expect([free.status, free.made.map(({ state }) => state)]).toEqual(["done", ["done"]])
  const turns = await holdfast.sessions.turns({ sessionID: free.sessionID })
  expect(turns.items.map(({ settled: end }) => end?.ledger.attempts.length)).toEqual([0, 1])
})
