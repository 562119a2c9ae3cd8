/** What a Session knows of files: from its log, so also in another process and after a restart. */
import { hash } from "node:crypto"
import { readFile, realpath, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import { openHoldfast, settled } from "../src/index.ts"
import { makePlace, type OpenClient, type Place } from "./place.ts"

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>]

/** Does one call for each prompt, as the prompt says it. */
const obedient = scripted((view) => {
  const last = view.messages.at(-1)
  const words = last?.blocks
    .flatMap((block) => (block.type === "text" ? [block.text.replace(/^§\d+§ /, "")] : []))
    .at(-1)
  if (last?.role !== "user" || words === undefined) return textReply("Done.")
  const [name, input] = JSON.parse(words) as Call
  return { blocks: [{ type: "tool_use", name, input }] }
})

const openFor = ({ options }: Place) => openHoldfast({ ...options, allow: ["write"] })

async function call({ sessions, ...holdfast }: OpenClient, sessionID: string, ...asked: Call) {
  const { seq } = await sessions.get({ sessionID })
  await sessions.prompt({ sessionID, text: JSON.stringify(asked) })
  await settled({ sessions, ...holdfast }, { sessionID })
  const { items } = await sessions.history({ sessionID, after: seq })
  const facts = items.flatMap(({ fact }) => (fact.type === "call.settled" ? [fact] : []))
  expect(facts).toHaveLength(1)
  return facts[0]!
}

test("[TL5] a Session opened again knows which version of a file it read and which it left", async () => {
  await using place = await makePlace(obedient)
  const path = join(await realpath(place.directory), "notes.md")
  const sha = (text: string) => hash("sha256", text)
  await writeFile(path, "one\ntwo\n")
  const first = await openFor(place)
  const { id } = await first.sessions.create()
  const read = await call(first, id, "read", { path: "notes.md" })
  expect(read.seen).toEqual([{ path, hash: sha("one\ntwo\n") }])
  await first.close()

  await writeFile(path, "one\n2\n")
  const second = await openFor(place)
  const refused = await call(second, id, "write", { path: "notes.md", content: "mine\n" })
  expect(refused.outcome).toMatchObject({
    state: "failed",
    errorCode: "changed_since_read",
    output: expect.stringContaining("What changed:\n@@ -1,2 +1,2 @@\n one\n-two\n+2"),
  })
  await call(second, id, "read", { path: "notes.md" })
  const edited = await call(second, id, "edit", { path: "notes.md", oldText: "2", newText: "three" })
  expect(edited.effects).toEqual([
    { path, kind: "modified", mode: 0o644, before: sha("one\n2\n"), after: sha("one\nthree\n") },
  ])
  await second.close()

  await writeFile(path, "one\nthree\nfour\n")
  await using third = await openFor(place)
  const { outcome } = await call(third, id, "edit", { path: "notes.md", oldText: "three", newText: "3" })
  expect(outcome.output).toContain("@@ -1,2 +1,3 @@\n one\n three\n+four")
  expect(await readFile(path, "utf8")).toBe("one\nthree\nfour\n")
})

test("[DR4] what a call is about to do to a file is on record before it does it", async () => {
  await using place = await makePlace(obedient)
  await using holdfast = await openFor(place)
  const { id: sessionID } = await holdfast.sessions.create()
  const { effects } = await call(holdfast, sessionID, "write", { path: "a.md", content: "a\n" })
  const { items } = await holdfast.sessions.history({ sessionID })
  const facts = items.map(({ fact }) => fact)
  const types = facts.map(({ type }) => type).filter((type) => type.startsWith("call."))
  expect(types).toEqual(["call.started", "call.planned", "call.settled"])
  expect(facts.find(({ type }) => type === "call.planned")).toMatchObject({ effects })
})
