/** The cases that start terminals, against a Holdfast behind a real port. */
import { expect, test } from "vitest"
import { allCases, prepare } from "../src/index.ts"
import { openServed } from "./targets.ts"

const cases = allCases.filter(({ needs }) => needs?.includes("terminals") === true)

test("[PT1 AU1] terminals work as the cases say, and a ticket lets in one WebSocket of its own", async () => {
  await using opened = await openServed()
  const run = await prepare(opened.target, { terminals: true })
  const results = []
  for (const one of cases) results.push(await run(one))
  expect(results.map(({ title, outcome, detail }) => [title, outcome, detail])).toEqual(
    cases.map(({ title }) => [title, "passed", null]),
  )
  expect(cases).toHaveLength(5)
  expect((await opened.target.client.ptys.list()).items).toEqual([])
})

test("no terminal is started where nobody allowed it", async () => {
  await using opened = await openServed()
  const run = await prepare(opened.target)
  for (const one of cases)
    expect(await run(one)).toMatchObject({
      outcome: "skipped",
      detail: "Terminals are started only where --terminals was given.",
    })
})
