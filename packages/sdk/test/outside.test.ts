/** What lies outside of the project: asked for, opened exactly where it was allowed, and judged again. */
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import { openHoldfast, settled } from "../src/index.ts"
import { makePlace } from "./place.ts"

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

/** A folder that belongs to no project, beside the place of a test. */
async function outsideFolder() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-outside-")))
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

async function open() {
  const place = await makePlace(obedient)
  const holdfast = await openHoldfast(place.options)
  const { id: sessionID } = await holdfast.sessions.create()
  const { sessions, asks } = holdfast
  return {
    directory: await realpath(place.directory),
    call: async (...asked: Call) => {
      await sessions.prompt({ sessionID, text: JSON.stringify(asked) })
      return (await settled(holdfast, { sessionID })).status
    },
    asks: async () => (await asks.list({ sessionID })).items,
    answer: async (decision: "allow" | "decline") => {
      const [ask] = (await asks.list({ sessionID })).items
      await asks.answer({ askID: ask?.id ?? "", decision })
      return (await settled(holdfast, { sessionID })).status
    },
    outcome: async () => {
      const { items } = await sessions.history({ sessionID })
      return items.flatMap(({ fact }) => (fact.type === "call.settled" ? [fact.outcome] : [])).at(-1)
    },
    [Symbol.asyncDispose]: async () => {
      await holdfast.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

test("[PE2 PE5] a file outside of the project is asked for, and opened where it was allowed", async () => {
  await using outside = await outsideFolder()
  const file = join(outside.folder, "notes.md")
  await writeFile(file, "far away\n")
  await using opened = await open()
  expect(await opened.call("read", { path: file })).toBe("asking")
  const [ask] = await opened.asks()
  expect(ask?.resources).toContainEqual({ action: "outside", resource: file })
  expect(await opened.answer("allow")).toBe("done")
  expect(await opened.outcome()).toMatchObject({ state: "done", output: expect.stringContaining("far away") })
  expect(await opened.call("read", { path: file })).toBe("asking")
  expect(await opened.answer("decline")).toBe("done")
  expect(await opened.outcome()).toMatchObject({ state: "declined" })
})

test("[PE2 PE5] a link that leads elsewhere when the answer comes asks anew, and nothing is written", async () => {
  await using outside = await outsideFolder()
  await using opened = await open()
  const [first, second] = [join(outside.folder, "first"), join(outside.folder, "second")]
  await mkdir(first)
  await mkdir(second)
  const link = join(opened.directory, "link")
  await symlink(first, link)
  expect(await opened.call("write", { path: "link/notes.md", content: "hello" })).toBe("asking")
  await rm(link)
  await symlink(second, link)
  expect(await opened.answer("allow")).toBe("asking")
  const [ask] = await opened.asks()
  expect(ask?.resources).toContainEqual({ action: "outside", resource: join(second, "notes.md") })
  expect(await opened.answer("allow")).toBe("done")
  expect(await readFile(join(second, "notes.md"), "utf8")).toBe("hello")
  await expect(readFile(join(first, "notes.md"), "utf8")).rejects.toThrow("ENOENT")
})
