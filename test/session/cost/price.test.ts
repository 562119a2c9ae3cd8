/** What a request will cost is on record before it is sent, and above a bound somebody is asked first. */
import { afterEach, expect, test } from "vitest"
import type { GivenAnswer } from "@holdfast/core/caller/asks"
import type { OnAsk } from "@holdfast/schema/fact/session"
import type { SessionId } from "@holdfast/schema/id"
import { Stage, type StageOptions } from "../harness.ts"

let stage: Stage
const price = { input: 10, output: 10, cacheRead: 1, cacheWrite: 12.5, cacheWrite1h: 20 }
afterEach(() => stage.close())

const long = "A long story. ".repeat(2_000)
const minute = 60_000

/** A Session with a history that a provider caches. */
function open(options: StageOptions = {}, onAsk: OnAsk = "wait"): SessionId {
  stage = new Stage({ price, lifetime: "5m", ...options })
  const session = stage.create("settle", onAsk)
  stage.converse(session, long)
  stage.converse(session, "And then?")
  return session
}
const expected = (session: SessionId) =>
  stage.facts(session, "turn.started").map(({ priceExpected }) => priceExpected ?? null)
const answer = (given: GivenAnswer) => {
  const ask = stage.ask((runtime) => runtime.asks())[0]?.id ?? "ask_none"
  stage.ask((runtime) => runtime.answer(ask, given))
}

test("[TU7] the price of a request that finds its cache gone stands in the record that opens the turn", () => {
  const session = open()
  expect(expected(session)).toEqual([null, null])
  stage.pass(4 * minute)
  stage.converse(session, "Within five minutes.")
  stage.pass(6 * minute)
  stage.converse(session, "Too late.")
  const [, , warm, cold] = expected(session)
  expect(warm).toBeNull()
  expect(cold).toMatchObject({ cause: "cold" })
  const { ledger } = stage.turns(session).at(-1)?.settled ?? {}
  expect(ledger?.usage.cacheRead).toBe(0)
  // The estimate is for the input; what the provider counted agrees with it.
  expect(cold?.cost).toBeGreaterThan((ledger?.cost ?? 0) * 0.8)
  expect(cold?.cost).toBeLessThan((ledger?.cost ?? 0) * 1.2)
  expect(cold?.costWarm).toBeLessThan((cold?.cost ?? 0) / 5)
  expect(stage.facts(session, "turn.started").at(-1)?.cacheExpected).toBe(0)
})

test("[TU7] a prefix that breaks is priced too, as a break", () => {
  const session = open()
  stage.ask((runtime) => runtime.switchModel(session, { provider: "sim", model: "other" }))
  stage.converse(session, "Another one.")
  expect(expected(session).at(-1)).toMatchObject({ cause: "break", tokensAgain: expect.any(Number) })
})

test("[PE3 PE5] above the bound nothing is sent until somebody allows it, and then once", () => {
  const session = open({ settings: { askAbove: 0.01 } })
  stage.pass(10 * minute)
  const sent = stage.sent.length
  expect(stage.converse(session, "Is it dear?")).toMatchObject({ kind: "asking" })
  expect(stage.status(session)).toMatchObject({ state: "asking", pending: 1, owing: false })
  expect(stage.sent).toHaveLength(sent)
  const [ask] = stage.ask((runtime) => runtime.asks(session))
  expect(ask).toMatchObject({ kind: "other", rule: "cost.askAbove 0.01", call: null })
  expect(ask?.question).toMatch(
    /^Send a request whose input costs about \$0\.\d+\? The provider's cache has lapsed/,
  )
  stage.restart()
  answer({ decision: "allow" })
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.sent).toHaveLength(sent + 1)
  expect(stage.converse(session, "Now it is warm.")).toEqual({ kind: "done" })
  stage.pass(10 * minute)
  expect(stage.converse(session, "Once more.")).toMatchObject({ kind: "asking" })
})

test("[TU6 TU7 PE3] a fold that pays for little again is priced, and asked for above the bound", () => {
  const session = open({ contextTokens: 40_000, settings: { askAbove: 0.000_1 } })
  stage.converse(session, "Short.")
  stage.ask((runtime) => runtime.fold(session))
  const plan = stage.ask((runtime) => runtime.request(session))
  expect(plan.break).not.toBeNull()
  expect(plan.priceExpected).toMatchObject({ cause: "break" })
  expect(plan.priceExpected?.tokensAgain).toBeLessThan(1_024)
  const sent = stage.sent.length
  expect(stage.converse(session, "And now?")).toMatchObject({ kind: "asking" })
  expect(stage.sent).toHaveLength(sent)
  answer({ decision: "allow" })
  expect(stage.settle(session)).toEqual({ kind: "done" })
  const started = stage.facts(session, "turn.started").at(-1)
  expect(started).toMatchObject({ pass: "fold", priceExpected: { cause: "break" } })
})

/** Long enough to be folded, and by default too short to be. */
function openLong(options: StageOptions = {}): SessionId {
  const session = open({ contextTokens: 80_000, ...options })
  for (let n = 0; n < 3; n++) stage.converse(session, `${n} ${long}`)
  return session
}
const planned = (session: SessionId) => stage.ask((runtime) => runtime.request(session))
const fold = (session: SessionId) => stage.ask((runtime) => runtime.fold(session))

test("[TU7 SU4] a fold is priced beside the request that would be sent without it, from the cache as it is", () => {
  const session = openLong()
  const before = planned(session)
  expect(before.priceExpected).toBeNull()
  fold(session)
  const { priceExpected, costExpected } = planned(session)
  expect(priceExpected).toMatchObject({ cause: "break", cost: costExpected })
  expect(priceExpected?.costOtherwise).toBeCloseTo(before.costExpected ?? 0, 9)
  expect(priceExpected?.costOtherwise).toBeLessThan(costExpected ?? 0)
})

test("[TU7 SU4] where the cache has lapsed, a fold is priced beside the whole request without a cache, and called cold", () => {
  const session = openLong({ settings: { askAbove: 0.01 } })
  const warm = planned(session).costExpected ?? 0
  stage.pass(10 * minute)
  const before = planned(session)
  fold(session)
  const { priceExpected, costExpected = 0 } = planned(session)
  expect(priceExpected).toMatchObject({ cause: "cold" })
  expect(priceExpected?.costOtherwise).toBeCloseTo(before.costExpected ?? 0, 9)
  expect(priceExpected?.costOtherwise).toBeGreaterThan(costExpected ?? 0)
  expect(priceExpected?.costWarm).toBeCloseTo(warm, 2)
  stage.converse(session, "Is it dear?")
  const [ask] = stage.ask((runtime) => runtime.asks(session))
  expect(ask?.question).toMatch(
    /The provider's cache has lapsed, so about [\d,]+ tokens are paid for again; left as it was, the request would cost about \$0\.\d+\.$/,
  )
})

test("[SU2 TU7] what is planned, what a receipt tells and what the ledger says are counted as the provider does", () => {
  const session = openLong()
  const last = countedIn(session)
  const before = planned(session)
  // With the answer, which the next request says again.
  expect(before.tokens / last).toBeCloseTo(1, 2)
  expect(before.segments.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(before.tokens)
  const blocks = before.segments.flatMap((segment) => segment.blocks)
  expect(blocks.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(before.tokens)
  const { contextTokens = 0, outputTokens = 0 } = before.limit ?? {}
  expect(before.recall?.usage).toBeCloseTo(before.tokens / (contextTokens - outputTokens), 3)
  fold(session)
  expect(planned(session).tokensBefore).toBe(before.tokens)
  stage.converse(session, "Go on.")
  const receipt = stage.ask((runtime) => runtime.receipts(session)).at(-1)
  expect(receipt?.tokensAfter).toBe(countedIn(session))
  expect((receipt?.tokensBefore ?? 0) / last).toBeCloseTo(1, 2)
})

/** Of the newest request, by the provider; not what we had estimated. */
function countedIn(session: SessionId): number {
  const { started, settled } = stage.turns(session).at(-1) ?? {}
  const { input = 0, cacheRead = 0, cacheWrite = 0 } = settled?.ledger.usage ?? {}
  const counted = input + cacheRead + cacheWrite
  expect(counted).not.toBe(started?.request.tokensEstimated)
  return counted
}

test("[PE5] a decline keeps the prompt, says why, and the next wake asks anew", () => {
  const session = open({ settings: { askAbove: 0.01 } })
  stage.pass(10 * minute)
  stage.converse(session, "Is it dear?")
  answer({ decision: "decline" })
  expect(stage.settle(session)).toMatchObject({ kind: "blocked", reason: { code: "price_declined" } })
  expect(stage.status(session)).toMatchObject({ state: "blocked", pending: 1 })
  expect(stage.resume(session)).toMatchObject({ kind: "asking" })
  answer({ decision: "decline" })
  expect(stage.settle(session)).toMatchObject({ kind: "blocked", reason: { code: "price_declined" } })
  expect(stage.resume(session)).toMatchObject({ kind: "asking" })
  answer({ decision: "allow" })
  expect(stage.settle(session)).toEqual({ kind: "done" })
})

test.each([
  ["allow", { kind: "done" }, 1],
  ["deny", { kind: "blocked", reason: { code: "price_declined" } }, 0],
  ["fail", { kind: "blocked", reason: { code: "price_declined" } }, 0],
] as const)("[PE4] where nobody can answer, onAsk %s answers at once and on record", (onAsk, end, more) => {
  const session = open({ settings: { askAbove: 0.01 } }, onAsk)
  stage.pass(10 * minute)
  const sent = stage.sent.length
  expect(stage.converse(session, "Is it dear?")).toMatchObject(end)
  expect(stage.sent).toHaveLength(sent + more)
  expect(stage.facts(session, "ask.answered")).toMatchObject([{ by: "on-ask" }])
})

test("[PE3] below the bound nobody is asked", () => {
  const session = open({ settings: { askAbove: 10 } })
  stage.pass(10 * minute)
  expect(stage.converse(session, "Is it dear?")).toEqual({ kind: "done" })
  expect(stage.facts(session, "ask.raised")).toEqual([])
})
