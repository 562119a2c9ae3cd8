/** The account: dollars by the catalog, to the cent, and what is not known left out and named (IM2). */
import { expect, test } from "vitest"
import { readClaudeCode } from "../src/claude-code/claude-code.ts"
import { claudeCode } from "./made.ts"
import { account, linesOf, readAll } from "./read.ts"

const million = 1_000_000

test("[IM2] each break has its price, and an append-only prefix is cheaper by what they cost", async () => {
  const steps = [{}, {}, { gap: 9, read: 0 }, {}]
  const { totals, places, breaks } = account(await readAll(readClaudeCode, linesOf(claudeCode(steps))))
  // Prompts of 20, 24, 28 and 32 thousand tokens; Opus 4.6 costs $5 a million, read a tenth, written a quarter more.
  expect(totals).toMatchObject({ calls: 4, input: 8, cacheRead: 19_998 + 27_998, output: 406 })
  expect(totals.listDollars).toBeCloseTo((104_000 * 5) / million, 9)
  const written = 19_998 + 4_000 + 27_998 + 4_000
  expect(totals.inputDollars).toBeCloseTo((8 * 5 + (19_998 + 27_998) * 0.5 + written * 6.25) / million, 9)
  expect(totals.outputDollars).toBeCloseTo((406 * 25) / million, 9)
  expect(breaks).toMatchObject([{ request: 3, cause: "idle", gapMs: 540_000, tokens: 23_998 }])
  const rate = (27_998 * 6.25 + 2 * 5) / 28_000
  expect(breaks[0]?.dollars).toBeCloseTo((23_998 * (rate - 0.5)) / million, 9)
  expect(places.starts).toBeCloseTo((20_000 * 5) / million, 9)
  expect([...places.breaks.keys()]).toEqual(["idle less than an hour"])
  // An hour's life for 20,000 tokens at double price beats sending 28,000 again.
  const hour = 20_000 * 10 - 2 * 5 + (20_000 + 24_000 + 28_000) * 0.5 + 3 * 4_000 * 10
  const short = 20_000 * 6.25 + 4_000 * 6.25 + 20_000 * 0.5 + 28_000 * 6.25 + 28_000 * 0.5 + 4_000 * 6.25
  expect(totals.idealDollars).toBeCloseTo(Math.min(hour, short) / million, 4)
})

test("[IM2] no prefix saves what another model is sent", async () => {
  const steps = [{}, {}, { plant: "model" as const, read: 0 }]
  const { totals } = account(await readAll(readClaudeCode, linesOf(claudeCode(steps))))
  const opus = 2 * 5 + 19_998 * 6.25 + 20_000 * 0.5 + 4_000 * 6.25
  const sonnet = 2 * 3 + 27_998 * 3.75
  expect(totals.idealDollars).toBeCloseTo((opus + sonnet) / million, 9)
})

test("[IM2] a model without a price, and a prompt beyond the window of one, is counted and named", async () => {
  const rename = (model: string) => (line: object) =>
    JSON.parse(JSON.stringify(line).replaceAll("claude-opus-4-6", model)) as object
  const unknown = claudeCode([{}, { read: 0 }], "b").map(rename("glm-9"))
  const long = claudeCode([{}], "c").map(
    (line) => JSON.parse(JSON.stringify(line).replaceAll("19998", "300000")) as object,
  )
  const lines = [...claudeCode([{}], "a"), ...unknown, ...long]
  const { totals, places, unpriced } = account(await readAll(readClaudeCode, linesOf(lines)))
  expect(totals.calls).toBe(4)
  expect(totals.listDollars).toBeCloseTo((20_000 * 5) / million, 9)
  expect([...places.breaks.values()]).toEqual([{ count: 1, tokens: 19_998, dollars: null }])
  expect([...unpriced].map(([name, { calls, tokens }]) => [name, calls, tokens])).toEqual([
    ["unknown/glm-9", 2, 20_000 + 100 + 24_000 + 101],
    ["anthropic/claude-opus-4-6", 1, 300_002 + 100],
  ])
})

test("[IM2] what was before a time is left out, but a break is still seen against it", async () => {
  const records = await readAll(readClaudeCode, linesOf(claudeCode([{}, {}, { gap: 60, read: 0 }])))
  const since = Date.UTC(2026, 5, 1, 8, 30)
  expect(account(records, { since })).toMatchObject({
    totals: { sessions: 1, calls: 1 },
    breaks: [{ cause: "idle" }],
  })
  expect(account(records, { since: Date.UTC(2027, 0) }).totals.sessions).toBe(0)
  expect(account(records, { session: "2" }).totals.sessions).toBe(0)
})
