/** Titles that nobody gave, and what a Session is allowed. */
import { describe, expect, test } from "vitest"
import { settled } from "../src/index.ts"
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

  test("[SS2] a title that was taken away before the first turn stays away", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create()
    await sessions.prompt({ sessionID, text: "Read README.md.", resume: false })
    expect(await sessions.update({ sessionID, title: null })).toMatchObject({ title: null })
    await sessions.prompt({ sessionID, text: "Read it again.", resume: false })
    expect(await sessions.get({ sessionID })).toMatchObject({ title: null })
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
    const wrong = sessions.update({ sessionID, allow: ["write("] })
    await expect(wrong).rejects.toMatchObject({ _tag: "RuleInvalid", rule: "write(" })
    const empty = sessions.update({ sessionID, allow: [""] })
    await expect(empty).rejects.toMatchObject({ _tag: "InvalidRequest" })
  })
})
