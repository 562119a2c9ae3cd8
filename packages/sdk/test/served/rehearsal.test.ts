/** The rehearsal of a server: it looks, and leaves nothing behind. */
import { expect, test } from "vitest"
import { settled } from "../../src/index.ts"
import { makePlace } from "../place.ts"

test("a rehearsal puts nothing on record, before the first Session and beside others", async () => {
  await using place = await makePlace()
  const served = await place.serve()
  const { sessions } = served.holdfast
  await served.rehearse()
  expect((await sessions.list()).items).toEqual([])
  const { id: sessionID } = await sessions.create()
  await sessions.prompt({ sessionID, text: "Read README.md." })
  await settled(served.holdfast, { sessionID })
  const told = async () => [await sessions.list(), await sessions.messages({ sessionID })]
  const before = await told()
  await served.rehearse()
  expect(await told()).toEqual(before)
  await served.close()
})

test("a rehearsal that a closed Holdfast cannot make is no failure", async () => {
  await using place = await makePlace()
  const served = await place.serve()
  await served.close()
  await expect(served.rehearse()).resolves.toBeUndefined()
})
