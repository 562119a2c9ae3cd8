/** Ours conforms: every case against a Holdfast behind a port, and against one in this process. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openHoldfast } from "../../sdk/src/index.ts"
import { makePlace } from "../../sdk/test/place.ts"
import { allCases, type Case, type CaseResult, embeddedTarget, prepare } from "../src/index.ts"
import { openInProcess, openServed, type OpenTarget } from "./targets.ts"

const inputs = Number(process.env["HOLDFAST_CONFORMANCE_INPUTS"] ?? 3)

/** Of all cases of one rule, with the counts of `prove` too. */
const timeout = 300_000
const rules = [...new Set(allCases.map(({ rule }) => rule))]

describe.each([
  ["served", openServed],
  ["embedded", openInProcess],
] as const)("%s", (_, open) => {
  let opened: OpenTarget
  let run: (one: Case) => Promise<CaseResult>
  beforeAll(async () => {
    opened = await open()
    run = await prepare(opened.target, { inputs })
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  test.each(rules)("every case of %s passes", { timeout }, async (rule) => {
    const failed: string[] = []
    for (const one of allCases.filter((each) => each.rule === rule)) {
      const { outcome, title, detail } = await run(one)
      if (outcome === "failed") failed.push(`${title}: ${detail}`)
    }
    expect(failed).toEqual([])
  })

  test("no case leaves a Session behind", async () =>
    expect((await opened.target.client.sessions.list()).items).toEqual([]))
})

test("[EM1] of a library alone nothing is left out but the Effect client and terminals", async () => {
  await using place = await makePlace()
  await using holdfast = await openHoldfast(place.options)
  const run = await prepare(embeddedTarget(holdfast), { inputs: 1 })
  const oneOfEach = new Map(allCases.map((one) => [one.needs?.toSorted().join() ?? "", one]))
  const skipped: string[] = []
  for (const [needs, one] of oneOfEach) if ((await run(one)).outcome === "skipped") skipped.push(needs)
  expect([...oneOfEach.keys()].filter((needs) => !/effect|terminals/.test(needs))).toContain("raw")
  expect(skipped.filter((needs) => !/effect|terminals/.test(needs))).toEqual([])
})
