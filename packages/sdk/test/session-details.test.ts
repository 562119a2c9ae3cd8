/** Titles that nobody gave, and tools that a Session was allowed. */
import { describe, expect, test } from "vitest"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import { openHoldfast, settled } from "../src/index.ts"
import { makePlace, surfaces } from "./place.ts"

describe.each(surfaces)("%s", (_, open) => {
  test("[SS2] the first prompt gives a Session its title, and no later one changes it", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID, title } = await sessions.create()
    const titleNow = async () => (await sessions.get({ sessionID })).title
    expect(title).toBeNull()
    await sessions.prompt({ sessionID, text: "\n Count   the words.\nOf README.md.", resume: false })
    expect(await titleNow()).toBe("Count the words.")
    await sessions.prompt({ sessionID, text: "Read README.md." })
    await settled({ sessions }, { sessionID })
    expect(await titleNow()).toBe("Count the words.")
    expect((await sessions.list()).items[0]?.title).toBe("Count the words.")
  })

  test("[SS2] a title that a person gave stays, and one that was taken away after a turn stays away", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create({ title: "Mine" })
    await sessions.prompt({ sessionID, text: "Read README.md." })
    await settled({ sessions }, { sessionID })
    expect(await sessions.update({ sessionID, title: null })).toMatchObject({ title: null })
    await sessions.prompt({ sessionID, text: "Read it again." })
    expect(await settled({ sessions }, { sessionID })).toMatchObject({ status: "done" })
    expect(await sessions.get({ sessionID })).toMatchObject({ title: null })
  })

  test("[SS1] what a Session is allowed is kept with it, and changed later", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID, allow, seq } = await sessions.create({ allow: ["write"] })
    expect(allow).toEqual(["write"])
    expect((await sessions.create()).allow).toEqual([])
    const same = await sessions.update({ sessionID, allow: ["write"] })
    expect(same).toMatchObject({ allow: ["write"], seq })
    expect(await sessions.update({ sessionID, allow: ["bash", "write"] })).toMatchObject({
      allow: ["bash", "write"],
      seq: seq + 1,
    })
    const wrong = sessions.update({ sessionID, allow: ["rm"] as never })
    await expect(wrong).rejects.toMatchObject({ _tag: "InvalidRequest" })
  })
})

test("[DR2] a Session is offered what it was allowed only where its program goes by that", async () => {
  await using place = await makePlace()
  const toolsOf = async (allow: "remembered" | readonly ("write" | "bash")[]) => {
    await using holdfast = await openHoldfast({ ...place.options, allow })
    const { id: sessionID } = await holdfast.sessions.create({ allow: ["write"] })
    const plain = await holdfast.sessions.create()
    const names = async (session: string) => {
      const { segments } = await holdfast.sessions.request({ sessionID: session })
      return segments.find(({ name }) => name === "tools")?.tokens ?? 0
    }
    return [await names(sessionID), await names(plain.id)]
  }
  const [remembered = 0, nothing = 0] = await toolsOf("remembered")
  expect(remembered).toBeGreaterThan(nothing)
  expect(await toolsOf([])).toEqual([nothing, nothing])
  expect(await toolsOf(["write"])).toEqual([remembered, remembered])
})

test("[DR2] what a Session is allowed between two prompts is offered from the next turn on", async () => {
  const offered: (readonly string[])[] = []
  await using place = await makePlace(
    scripted(({ tools }) => {
      offered.push(tools.map(({ name }) => name))
      return textReply("Noted.")
    }),
  )
  await using holdfast = await openHoldfast({ ...place.options, allow: "remembered" })
  const { sessions } = holdfast
  const { id: sessionID } = await sessions.create()
  for (const allow of [["write"], ["bash"], []] as const) {
    await sessions.update({ sessionID, allow })
    await sessions.prompt({ sessionID, text: "Hello" })
    expect(await settled({ sessions }, { sessionID })).toMatchObject({ status: "done" })
  }
  const reading = ["glob", "grep", "list", "read", "todo"]
  const changing = ["apply_patch", "edit", ...reading, "write"]
  expect(offered).toEqual([changing, ["bash", "bash_kill", "bash_output", ...reading], reading])
})
