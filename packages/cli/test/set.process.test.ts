/** `holdfast set` and `holdfast run --on-restart`. */
import { expect, test } from "vitest"
import { makePlace, type Place } from "./place.ts"

const sessionOf = async (place: Place) => {
  const { out } = await place.call(["sessions", "--json"])
  return JSON.parse(out.trimEnd()) as { readonly id: string; readonly policy: string; readonly title: string }
}

test("[DR5 SS1] a run says what a restart does with its Session, and set changes it later", async () => {
  await using place = await makePlace()
  await place.call(["run", "--on-restart", "continue", "Read README.md."])
  const { id, policy } = await sessionOf(place)
  expect(policy).toBe("continue")

  const set = await place.call(["set", id, "--on-restart", "settle", "--title", "The greeter"])
  expect([set.code, set.out]).toEqual([
    0,
    `Session ${id} is called The greeter. It waits after a restart: what was open is settled, and resume goes on.\n`,
  ])
  expect(await sessionOf(place)).toMatchObject({ id, policy: "settle", title: "The greeter" })

  const again = await place.call(["run", "--session", id, "--on-restart", "continue", "Once more."])
  expect(again.code).toBe(0)
  const untitled = await place.call(["set", id, "--title", "", "--json"])
  expect(untitled.record()).toMatchObject({ id, policy: "continue", title: null })
})

test("[DR5] a default of the file holds for new Sessions", async () => {
  await using place = await makePlace()
  await place.write("config/holdfast.jsonc", '{ "onRestart": "continue" }')
  await place.call(["run", "Read README.md."])
  expect((await sessionOf(place)).policy).toBe("continue")
})

test("[DR9] a run pauses at its budget, says how to go on, and set takes a limit away", async () => {
  await using place = await makePlace()
  const run = await place.call(["run", "--budget-tokens", "1", "--budget-money", "1.50", "Read README.md."])
  const { id } = await sessionOf(place)
  expect(run.code).toBe(3)
  const raise = new RegExp(`Raise it to go on: (holdfast resume ${id} --budget-tokens \\d+)`)
  const [, command = ""] = raise.exec(run.out) ?? []
  expect(command).not.toBe("")
  // Nothing else is said to go on with: resuming without the limit would end here again.
  expect(run.out.trimEnd().split("\n").at(-1)).toBe(`Session ${id}.`)

  const set = await place.call(["set", id, "--budget-money", "none", "--json"])
  expect(set.record()).toMatchObject({ budget: { tokens: 1, money: null } })
  expect((await place.call(["resume", id])).code).toBe(3)
  expect((await place.call(command.split(" ").slice(1))).code).toBe(0)
})
