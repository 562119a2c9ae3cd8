/** Whose rules a call is judged by: the agent's, of the turn that made it, in the place where the Session is. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import { openHoldfast, settled } from "../src/index.ts"
import { makePlace } from "./place.ts"

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>]

async function open(files: Readonly<Record<string, string>> = {}, agent?: string) {
  const requests: string[] = []
  /** Does one call for each prompt, as the prompt says it. */
  const obedient = scripted((view) => {
    requests.push(JSON.stringify(view))
    const last = view.messages.at(-1)
    const words = last?.blocks
      .flatMap((block) => (block.type === "text" ? [block.text.replace(/^§\d+§ /, "")] : []))
      .at(-1)
    if (last?.role !== "user" || words === undefined || !words.startsWith("[")) return textReply("Done.")
    const [name, input] = JSON.parse(words) as Call
    return { blocks: [{ type: "tool_use", name, input }] }
  })
  const place = await makePlace(obedient)
  const root = dirname(place.directory)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const holdfast = await openHoldfast(place.options)
  const { sessions, asks } = holdfast
  const { id: sessionID } = await sessions.create(agent === undefined ? {} : { agent })
  return {
    sessions,
    locations: holdfast.locations,
    sessionID,
    directory: await realpath(place.directory),
    newest: () => requests.at(-1) ?? "",
    /** The status, and where the call has ended its text. */
    call: async (...call: Call) => {
      await sessions.prompt({ sessionID, text: JSON.stringify(call) })
      const { status } = await settled(holdfast, { sessionID })
      const { items } = await sessions.history({ sessionID, limit: 200 })
      const last = items.flatMap(({ fact }) => (fact.type === "call.settled" ? [fact.outcome] : [])).at(-1)
      return status === "asking" ? "asking" : `${last?.state}: ${last?.output}`
    },
    allow: async () => {
      const [ask] = (await asks.list({ sessionID })).items
      await asks.answer({ askID: ask?.id ?? "", decision: "allow" })
      return (await settled(holdfast, { sessionID })).status
    },
    [Symbol.asyncDispose]: async () => {
      await holdfast.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

const agentFile = (rules: string) => `---\ndescription: Helps.\npermissions: [${rules}]\n---\n\nHelp.\n`
const skillFile = (name: string) =>
  `---\nname: ${name}\ndescription: About ${name}.\n---\n\nText of ${name}.\n`
const write = (path: string): Call => ["write", { path, content: "x" }]

test("[TL6 PE1] the rules of an agent judge its calls, behind those of the user", async () => {
  await using opened = await open(
    {
      "config/agents/careful.md": agentFile("allow write(docs/), deny write(src/)"),
      "config/holdfast.jsonc": `{"permissions": ["allow write"]}`,
    },
    "careful",
  )
  expect(await opened.call(...write("docs/a.md"))).toMatch(/^done: /)
  expect(await opened.call(...write("src/a.ts"))).toMatch(/^declined: .*"deny write\(src\/\)".*careful\.md/)
})

test("[SK1 TL6] an agent is told of no skill that its rules deny, and cannot load it", async () => {
  await using opened = await open(
    {
      "config/agents/careful.md": agentFile("deny skill(deploy*)"),
      "config/skills/deploying/SKILL.md": skillFile("deploying"),
      "config/skills/testing/SKILL.md": skillFile("testing"),
    },
    "careful",
  )
  expect(await opened.call("skill", { name: "testing" })).toMatch(/^done: .*Text of testing/s)
  expect(opened.newest()).toContain("About testing")
  expect(opened.newest()).not.toContain("About deploying")
  expect(await opened.call("skill", { name: "deploying" })).toMatch(/^declined: .*deny skill\(deploy\*\)/)
})

test("[EP16 PE1] after a move the rules are those of the destination", async () => {
  const other = await realpath(await mkdtemp(join(tmpdir(), "holdfast-destination-")))
  await using _ = { [Symbol.asyncDispose]: () => rm(other, { recursive: true }) }
  await writeFile(join(other, "holdfast.jsonc"), `{"permissions": ["deny write(src/)"]}`)
  await using opened = await open({
    "config/holdfast.jsonc": `{"permissions": ["allow write"]}`,
    "project/holdfast.jsonc": `{"permissions": ["deny write(docs/)"]}`,
  })
  expect(await opened.call(...write("docs/a.md"))).toMatch(/^declined: .*deny write\(docs\/\)/)
  expect(await opened.call(...write("src/a.ts"))).toMatch(/^done: /)
  await opened.locations.open({ directory: other })
  await opened.sessions.move({ sessionID: opened.sessionID, directory: other })
  expect(await opened.call(...write("docs/b.md"))).toMatch(/^done: /)
  expect(await opened.call(...write("src/b.ts"))).toMatch(/^declined: .*deny write\(src\/\)/)
  expect(await opened.call(...write(join(opened.directory, "docs/a.md")))).toBe("asking")
})

test("[IN5 PE1] rules are no part of the history: they judge after any fold as before it", async () => {
  await using opened = await open({ "config/holdfast.jsonc": `{"permissions": ["deny write(src/)"]}` })
  for (let fold = 0; fold < 3; fold++) {
    expect(await opened.call(...write("src/a.ts"))).toMatch(/^declined: .*deny write\(src\/\)/)
    await opened.sessions.fold({ sessionID: opened.sessionID })
  }
})

test("[DR2 PE5] what is asked keeps the agent of its turn, though the Session has another by then", async () => {
  await using opened = await open()
  expect(await opened.call(...write("notes.md"))).toBe("asking")
  await opened.sessions.switchAgent({ sessionID: opened.sessionID, agent: "plan" })
  expect(await opened.allow()).toBe("done")
  expect(await readFile(join(opened.directory, "notes.md"), "utf8")).toBe("x")
  expect(await opened.call(...write("more.md"))).toMatch(/no tool named "write"/)
})
