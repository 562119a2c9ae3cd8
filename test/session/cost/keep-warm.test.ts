/** Requests that only keep a cache while a Session is idle, within bounds that the user sets. */
import { afterEach, expect, test } from "vitest"
import type { KeepWarm } from "@holdfast/core/config/settings"
import type { SessionId } from "@holdfast/schema/id"
import { faulty } from "../model.ts"
import { Stage, type StageOptions } from "../harness.ts"

let stage: Stage
const price = { input: 10, output: 10, cacheRead: 1, cacheWrite: 12.5, cacheWrite1h: 20 }
afterEach(() => stage.close())

const long = "A long story. ".repeat(2_000)
const minute = 60_000
const bounds = (of: Partial<KeepWarm> = {}) => ({ max: 2, costMax: 1, ...of })

function open(options: StageOptions = {}): SessionId {
  stage = new Stage({ price, lifetime: "5m", keepWarm: bounds(), ...options })
  const session = stage.create()
  stage.converse(session, long)
  return session
}
const warmed = (session: SessionId) => stage.facts(session, "cache.warmed")
const info = (session: SessionId) => stage.ask((runtime) => runtime.get(session))

test("[LL5 TU7] shortly before the cache lapses the same prefix is sent for one token, and it is on record", () => {
  const session = open()
  const before = info(session)
  stage.pass(6 * minute)
  const [first, again] = stage.sent
  expect((again?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(4 * minute)
  expect((again?.atMs ?? 0) - (first?.atMs ?? 0)).toBeLessThan(5 * minute)
  expect(again?.lines).toEqual(first?.lines)
  expect(JSON.parse(again?.raw ?? "{}")).toMatchObject({ max_tokens: 1 })
  expect(warmed(session)).toMatchObject([{ inRow: 1, usage: { cacheWrite: 0 } }])
  expect(warmed(session)[0]?.usage.cacheRead).toBeGreaterThan(5_000)
  const cost = warmed(session)[0]?.cost ?? 0
  expect(cost).toBeGreaterThan(0)
  expect(info(session).cost).toBeCloseTo((before.cost ?? 0) + cost, 9)
  stage.converse(session, "I am back.")
  expect(stage.turns(session).at(-1)?.settled?.ledger.usage.cacheRead).toBeGreaterThan(5_000)
  expect(stage.verdicts(session)).toEqual(["same", "same"])
})

test("[LL5 TU7] each stands in the ledger with the turn whose cache it kept, and in the total of the Session", () => {
  const session = open()
  stage.pass(60 * minute)
  stage.converse(session, "I am back.")
  stage.converse(session, "Once more.")
  stage.pass(6 * minute)
  const turns = stage.ask((runtime) => runtime.turns(session))
  expect(turns.map(({ warmed: kept }) => kept?.map(({ inRow }) => inRow))).toEqual([[1, 2], undefined, [1]])
  const kept = turns.flatMap((turn) => turn.warmed ?? [])
  expect(kept.map(({ usage, cost }) => ({ usage, cost }))).toEqual(
    warmed(session).map(({ usage, cost }) => ({ usage, cost })),
  )
  const costs = [...turns.map(({ settled }) => settled?.ledger.cost), ...kept.map(({ cost }) => cost)]
  expect(info(session).cost).toBeCloseTo(
    costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    9,
  )
  const [page] = stage.ask((runtime) => runtime.turns(session, { afterSeq: 0, limit: 1 }))
  expect(page?.warmed).toHaveLength(2)
})

test("[LL5] no more than so many in a row, and anew after the next turn", () => {
  const session = open()
  stage.pass(60 * minute)
  expect(warmed(session).map(({ inRow }) => inRow)).toEqual([1, 2])
  stage.converse(session, "I am back.")
  stage.pass(60 * minute)
  expect(warmed(session).map(({ inRow }) => inRow)).toEqual([1, 2, 1, 2])
})

test("[LL5 DR9] no more than so much money, nor beyond a budget", () => {
  const session = open({ keepWarm: bounds({ costMax: 0.000_1 }) })
  stage.pass(60 * minute)
  expect(warmed(session)).toEqual([])
  stage.close()
  const poor = open()
  stage.ask((runtime) => runtime.update(poor, { budget: { money: 0.000_001 } }))
  stage.pass(60 * minute)
  expect(warmed(poor)).toEqual([])
})

test("[LL5] the money is for all of them together, not for each", () => {
  const free = open({ keepWarm: bounds({ max: 6 }) })
  stage.pass(60 * minute)
  const costs = warmed(free).map(({ cost }) => cost ?? 0)
  expect(costs.length).toBeGreaterThan(1)
  stage.close()
  const bounded = open({ keepWarm: bounds({ max: 6, costMax: Math.max(...costs) * 1.5 }) })
  stage.pass(60 * minute)
  expect(warmed(bounded)).toHaveLength(1)
})

test("[LL5] nothing is sent unless it is set", () => {
  stage = new Stage({ price, lifetime: "5m" })
  stage.converse(stage.create(), long)
  stage.pass(60 * minute)
  expect(stage.sent).toHaveLength(1)
})

test("[LL5] an hour is kept once an hour", () => {
  const session = open({ lifetime: "1h" })
  stage.pass(50 * minute)
  expect(warmed(session)).toEqual([])
  stage.pass(20 * minute)
  expect(warmed(session)).toHaveLength(1)
})

test.each([
  ["5m", 5],
  ["1h", 60],
] as const)("[LL5] with a cache of %s none is sent after the one before has lapsed", (lifetime, minutes) => {
  const session = open({ lifetime, keepWarm: bounds({ max: 3 }) })
  stage.pass(300 * minute)
  const times = stage.sent.map(({ atMs }) => atMs)
  const gaps = times.slice(1).map((at, before) => at - (times[before] ?? 0))
  expect(gaps.length).toBeGreaterThan(0)
  for (const gap of gaps) expect(gap).toBeLessThan(minutes * minute)
  for (const { usage } of warmed(session)) expect(usage.cacheRead).toBeGreaterThan(5_000)
})

test("[LL5] a process that slept through the life of a cache sends nothing for it", () => {
  const session = open()
  stage.current.process.freeze(10 * minute)
  stage.pass(60 * minute)
  expect([warmed(session), stage.sent.length]).toEqual([[], 1])
})

test("[LL5 DR3] a prompt, an interrupt and the end of the process each end the wait", () => {
  const session = open()
  stage.pass(4 * minute)
  stage.converse(session, "Still there.")
  stage.pass(4 * minute)
  expect(warmed(session)).toEqual([])
  stage.ask((runtime) => runtime.interrupt(session))
  stage.pass(60 * minute)
  expect(warmed(session)).toEqual([])
  stage.converse(session, "Go on.")
  stage.restart()
  stage.pass(60 * minute)
  expect(warmed(session)).toEqual([])
})

test("[LL5 PR5] a prompt does not wait for a request under way, which is broken off and on record", () => {
  const session = open()
  stage.replies.push(faulty({ kind: "stall", afterDeltas: 0 }))
  stage.until(() => stage.sent.length === 2)
  stage.replies.length = 0
  expect(stage.converse(session, "Now.")).toEqual({ kind: "done" })
  expect(warmed(session)).toHaveLength(1)
  expect(stage.sent).toHaveLength(3)
})

test("[LL5 TU7] one that was broken off before anything came is on record with what it may have cost", () => {
  const session = open()
  stage.lineTrouble = () => "silent"
  stage.until(() => stage.sent.length === 2)
  stage.lineTrouble = () => null
  stage.converse(session, "Now.")
  const [broken] = warmed(session)
  expect(broken?.usage).toMatchObject({ output: 1, cacheRead: expect.any(Number) })
  expect(broken?.usage.cacheRead).toBeGreaterThan(5_000)
  expect(broken?.cost).toBeGreaterThan(0)
})

test("[LL5] where nothing was read there is nothing to keep, and no other follows", () => {
  stage = new Stage({ price, lifetime: "5m", keepWarm: bounds() })
  const session = stage.create()
  // So little no provider caches.
  stage.converse(session, "Short.")
  stage.pass(60 * minute)
  expect(warmed(session).map(({ usage }) => usage.cacheRead)).toEqual([0])
})

test("[LL5] nothing is sent for a cache that no turn will read: of another model, or of a Session that was put away", () => {
  const switched = open()
  stage.ask((runtime) => runtime.switchModel(switched, { provider: "sim", model: "other" }))
  stage.pass(60 * minute)
  expect(warmed(switched)).toEqual([])
  stage.close()
  const archived = open()
  stage.ask((runtime) => runtime.archive(archived, true))
  stage.pass(60 * minute)
  expect(warmed(archived)).toEqual([])
})

test("[LL5] a failure ends it and fails nothing", () => {
  const session = open()
  stage.lineTrouble = () => "refused"
  stage.pass(60 * minute)
  stage.lineTrouble = () => null
  expect(warmed(session)).toEqual([])
  expect(stage.converse(session, "Go on.")).toEqual({ kind: "done" })
})

test("[LL5 DR2] bounds that are set, changed or taken away hold for what is sent from then on", () => {
  const session = open({ keepWarm: bounds({ max: 6 }) })
  stage.pass(6 * minute)
  expect(warmed(session)).toHaveLength(1)
  stage.keepWarm = null
  stage.pass(60 * minute)
  expect(warmed(session)).toHaveLength(1)
  stage.converse(session, "I am back.")
  stage.pass(60 * minute)
  expect(warmed(session)).toHaveLength(1)
  stage.keepWarm = bounds({ max: 1 })
  stage.converse(session, "Once more.")
  stage.pass(60 * minute)
  expect(warmed(session)).toHaveLength(2)
})

test("[LL5] what has no price is not kept: no bound in money could hold for it", () => {
  stage = new Stage({ lifetime: "5m", keepWarm: bounds() })
  const session = stage.create()
  stage.converse(session, long)
  stage.pass(60 * minute)
  expect([warmed(session), stage.sent.length]).toEqual([[], 1])
})
