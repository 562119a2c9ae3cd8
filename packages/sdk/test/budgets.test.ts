/** Budgets through the contract, and where a new Session has its own from (DR9, CF1). */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openHoldfast, settled } from "../src/index.ts"
import { makePlace, surfaces } from "./place.ts"

const none = { tokens: null, money: null }

describe.each(surfaces)("%s", (_, open) => {
  test("[DR9] a Session pauses at its budget, and goes on once it is raised", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID, budget } = await sessions.create({ budget: { tokens: 1 } })
    expect(budget).toEqual({ tokens: 1, money: null })
    await sessions.prompt({ sessionID, text: "Read README.md." })
    expect(await settled(holdfast, { sessionID })).toMatchObject({
      status: "blocked",
      reason: { code: "budget_spent" },
      turns: 1,
    })
    expect((await sessions.get({ sessionID })).status).toMatchObject({ state: "blocked", owing: true })
    expect((await sessions.update({ sessionID, budget: { tokens: null } })).budget).toEqual(none)
    await sessions.resume({ sessionID })
    expect(await settled(holdfast, { sessionID })).toMatchObject({ status: "done" })
  })

  test.each([{ tokens: 0 }, { tokens: 1.5 }, { money: -1 }, { money: "1.50" }, { calls: 5 }, 5])(
    "[DR9 CF1] the budget %j is refused",
    async (budget) => {
      await using place = await makePlace()
      await using holdfast = await open(place)
      const { id: sessionID } = await holdfast.sessions.create()
      const refused = { _tag: "InvalidRequest" }
      await expect(holdfast.sessions.create({ budget: budget as never })).rejects.toMatchObject(refused)
      await expect(holdfast.sessions.update({ sessionID, budget: budget as never })).rejects.toMatchObject(
        refused,
      )
      expect((await holdfast.sessions.get({ sessionID })).budget).toEqual(none)
    },
  )
})

test("[DR9 CF1] a new Session takes the user's budget, limit by limit where it names none itself", async () => {
  await using place = await makePlace()
  const { configDir = "" } = place.options
  await mkdir(configDir, { recursive: true })
  await writeFile(join(configDir, "holdfast.jsonc"), '{ "budget": { "tokens": 9000, "money": 2.5 } }')
  await using holdfast = await openHoldfast(place.options)
  const { sessions } = holdfast
  const first = await sessions.create()
  expect(first.budget).toEqual({ tokens: 9_000, money: 2.5 })
  expect((await sessions.create({ budget: { money: 1 } })).budget).toEqual({ tokens: 9_000, money: 1 })
  expect((await sessions.create({ budget: none })).budget).toEqual(none)
  await using other = await openHoldfast({ ...place.options, budget: { tokens: 5 } })
  expect((await other.sessions.create()).budget).toEqual({ tokens: 5, money: null })
  expect((await other.sessions.get({ sessionID: first.id })).budget).toEqual(first.budget)
  expect((await other.config.get()).budget).toMatchObject({
    value: { tokens: 5, money: null },
    from: { kind: "program" },
  })
})

test("[DR9 CF1] a budget that is wrong is an error, and no default takes its place", async () => {
  await using place = await makePlace()
  const wrong = openHoldfast({ ...place.options, budget: { money: 0 } })
  await expect(wrong).rejects.toMatchObject({
    _tag: "ConfigurationInvalid",
    message: expect.stringContaining("budget.money must be above 0"),
  })
})
