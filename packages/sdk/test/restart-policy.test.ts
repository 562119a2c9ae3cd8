/** What a restart does with unfinished work: by default, for one Session, and changed later (DR5). */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openHoldfast, settled } from "../src/index.ts"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import { makePlace, type OpenClient, surfaces } from "./place.ts"

describe.each(surfaces)("%s", (_, open) => {
  test("[DR5 SS1] the policy of a Session is changed later, and its title; what is not given stays", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID, seq, policy } = await sessions.create({ title: "first" })
    expect(policy).toBe("settle")
    const changed = await sessions.update({ sessionID, policy: "continue" })
    expect(changed).toMatchObject({ title: "first", policy: "continue", seq: seq + 1 })
    expect(await sessions.update({ sessionID, policy: "continue", title: "first" })).toEqual(changed)
    expect(await sessions.update({ sessionID, title: null })).toMatchObject({
      title: null,
      policy: "continue",
      seq: seq + 2,
    })
    const { items } = await sessions.history({ sessionID, after: seq })
    expect(items.map(({ fact }) => fact)).toEqual([
      { type: "session.updated", policy: "continue" },
      { type: "session.updated", title: null, titledBy: "person" },
    ])
    const unknown = sessions.update({ sessionID: "ses_none", title: "x" })
    await expect(unknown).rejects.toMatchObject({ _tag: "SessionNotFound" })
  })
})

test("[DR5] the default is the program's, else that of the file, and a Session may say otherwise", async () => {
  await using place = await makePlace()
  const { configDir = "" } = place.options
  await mkdir(configDir, { recursive: true })
  await writeFile(join(configDir, "holdfast.jsonc"), '{ "onRestart": "continue" }')
  const policies = async (holdfast: OpenClient) => {
    await using opened = holdfast
    const byDefault = await opened.sessions.create()
    const own = await opened.sessions.create({ policy: "settle" })
    return [byDefault.policy, own.policy]
  }
  expect(await policies(await place.open())).toEqual(["continue", "settle"])
  expect(await policies(await openHoldfast({ ...place.options, onRestart: "settle" }))).toEqual([
    "settle",
    "settle",
  ])
  const wrong = openHoldfast({ ...place.options, onRestart: "again" as never })
  await expect(wrong).rejects.toMatchObject({
    _tag: "ConfigurationInvalid",
    message: expect.stringContaining('onRestart must be "settle" or "continue".'),
  })
})

test("[DR5] after a restart the work goes on by itself, but not in a program that only looks", async () => {
  let requests = 0
  const asked = Promise.withResolvers<void>()
  const model = scripted(() => {
    asked.resolve()
    return { ...textReply("Done."), ...(requests++ === 0 && { firstByteMs: 60_000 }) }
  })
  await using place = await makePlace(model)
  const first = await openHoldfast({ ...place.options, onRestart: "continue" })
  const { id: sessionID } = await first.sessions.create()
  await first.sessions.prompt({ sessionID, text: "Wait." })
  await asked.promise
  await first.close()

  const looking = await openHoldfast({ ...place.options, continues: false })
  expect((await settled(looking, { sessionID })).status).toBe("interrupted")
  expect((await looking.sessions.get({ sessionID })).status).toMatchObject({ owing: true })
  await looking.close()
  expect(requests).toBe(1)

  await using third = await place.open()
  expect(await settled(third, { sessionID })).toMatchObject({ status: "done", text: "Done." })
  expect(requests).toBe(2)
})
