/** What a Session may do without asking, what it asks for, and the answers. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import { openHoldfast, settled } from "../src/index.ts"
import { makePlace, type OpenClient, surfaces } from "./place.ts"

const writes = scripted(({ messages }) =>
  messages.at(-1)?.blocks.some(({ type }) => type === "tool_result") === true
    ? textReply("Done.")
    : { blocks: [{ type: "tool_use", name: "write", input: { path: "notes.md", content: "hello" } }] },
)

test("[PE1] what a Session or its program allows is not asked for, and holds from the next turn on", async () => {
  await using place = await makePlace(writes)
  const statusOf = async (
    { sessions }: OpenClient,
    input: Parameters<OpenClient["sessions"]["create"]>[0] = {},
  ) => {
    const { id: sessionID } = await sessions.create(input)
    await sessions.prompt({ sessionID, text: "Go" })
    const { status } = await settled({ sessions }, { sessionID })
    return { sessionID, status }
  }
  {
    await using holdfast = await place.open()
    const { sessions } = holdfast
    expect(await statusOf(holdfast, { allow: ["write"] })).toMatchObject({ status: "done" })
    expect(await statusOf(holdfast, { allow: ["write(src/**)"] })).toMatchObject({ status: "asking" })
    const { sessionID, status } = await statusOf(holdfast)
    expect(status).toBe("asking")
    await sessions.update({ sessionID, allow: ["write"] })
    await sessions.prompt({ sessionID, text: "Try again", declines: true })
    expect(await settled({ sessions }, { sessionID })).toMatchObject({ status: "done" })
  }
  await using generous = await openHoldfast({ ...place.options, allow: ["write"] })
  expect(await statusOf(generous)).toMatchObject({ status: "done" })
})

describe.each(surfaces)("%s", (_, open) => {
  test("[PE5] what is asked is listed, told by resume, and answered once", async () => {
    await using place = await makePlace(writes)
    await using holdfast = await open(place)
    const { sessions, asks } = holdfast
    const { id: sessionID } = await sessions.create()
    await sessions.prompt({ sessionID, text: "Go" })
    expect(await settled({ sessions }, { sessionID })).toMatchObject({ status: "asking" })
    const { items } = await asks.list({ sessionID })
    const path = join(place.directory, "notes.md")
    expect(items).toMatchObject([
      {
        session: sessionID,
        kind: "permission",
        resources: [{ action: "write", resource: path }],
        rule: null,
        agent: "build",
        options: ["write"],
        call: { name: "write", input: { path: "notes.md", content: "hello" } },
      },
    ])
    expect(await asks.list()).toEqual({ items, next: null, previous: null })
    expect(await sessions.resume({ sessionID })).toEqual({ asks: items })
    const [{ id: askID } = { id: "" }] = items
    await expect(asks.answer({ askID, decision: "answer", text: "Yes" })).rejects.toMatchObject({
      _tag: "AnswerRefused",
    })
    await asks.answer({ askID, decision: "allow" })
    expect(await settled({ sessions }, { sessionID })).toMatchObject({ status: "done" })
    expect(readFileSync(path, "utf8")).toBe("hello")
    await expect(asks.answer({ askID, decision: "decline" })).rejects.toMatchObject({ _tag: "AskNotOpen" })
    expect((await asks.list()).items).toEqual([])
  })

  test("[PE5 CF1] what is allowed while the project's file is faulty runs once, when the file is mended", async () => {
    await using place = await makePlace(writes)
    await using holdfast = await open(place)
    const { sessions, asks } = holdfast
    const { id: sessionID } = await sessions.create()
    await sessions.prompt({ sessionID, text: "Go" })
    expect(await settled({ sessions }, { sessionID })).toMatchObject({ status: "asking" })
    const settings = join(place.directory, "holdfast.jsonc")
    writeFileSync(settings, '{ "permissions": ["alow read"] }')
    const [{ id: askID } = { id: "" }] = (await asks.list({ sessionID })).items
    await asks.answer({ askID, decision: "allow" })
    expect(await settled({ sessions }, { sessionID })).toMatchObject({
      status: "blocked",
      reason: { message: expect.stringContaining("This rule of permissions cannot be read") as string },
    })
    const path = join(place.directory, "notes.md")
    expect(existsSync(path)).toBe(false)
    writeFileSync(settings, "{}")
    await sessions.resume({ sessionID })
    expect(await settled({ sessions }, { sessionID })).toMatchObject({ status: "done" })
    expect(readFileSync(path, "utf8")).toBe("hello")
    const { items } = await sessions.messages({ sessionID })
    const made = items.flatMap((message) => (message.kind === "assistant" ? message.parts : []))
    expect(made.filter(({ part }) => part.type === "call")).toMatchObject([{ part: { state: "done" } }])
  })

  test("[PE4] a Session that nobody watches declines, and its result tells what", async () => {
    await using place = await makePlace(writes)
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID, onAsk } = await sessions.create({ onAsk: "deny" })
    expect(onAsk).toBe("deny")
    await sessions.prompt({ sessionID, text: "Go" })
    const resources = [{ action: "write", resource: join(place.directory, "notes.md") }]
    expect(await settled({ sessions }, { sessionID })).toMatchObject({
      status: "done",
      declined: [{ name: "write", resources, rule: null }],
    })
  })
})
