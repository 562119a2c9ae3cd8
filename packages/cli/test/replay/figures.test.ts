/** The figures of a replay, from values alone: what is counted as what, and whose requests they are (IM2). */
import { describe, expect, test } from "vitest"
import type { Event, Fact } from "@holdfast/schema/event"
import type { ReplayedRequest } from "@holdfast/sdk/replay"
import { ReplayFigures } from "../../src/replay/figures.ts"
import { type Counted, createOracle } from "../../src/replay/oracle.ts"
import { recordedLog } from "../../src/replay/recorded.ts"
import { replayScreen } from "../../src/replay/screen.ts"

const counted = (input: number, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0): Counted => ({
  input,
  cacheRead,
  cacheWrite5m,
  cacheWrite1h,
})

const facts = {
  price: { input: 4, output: 9, cacheRead: 1, cacheWrite: 5 },
  cacheWriteByTtl: { "5m": 5, "1h": 8 },
  cache: "markers",
  cacheTokensMin: 100,
  reasoning: "none",
}

const block = (segment: string, hash: string, tokens: number) => ({ segment, role: "user", hash, tokens })

const request = (atMs: number, more: object = {}): ReplayedRequest =>
  ({
    atMs,
    model: { provider: "p", model: "m" },
    facts,
    blocks: [],
    markers: [],
    params: "",
    pass: "hold",
    break: null,
    faults: [],
    ...more,
  }) as unknown as ReplayedRequest

test("[IM2] the screen says how the price as replayed and the one as chosen differ, in 80 columns", () => {
  const screen = replayScreen(new ReplayFigures())
  expect(screen).toMatch(/^effective price +0\.0000 of the list price of input, as replayed$/m)
  expect(screen).toMatch(/^as chosen +0\.0000 /m)
  expect(screen).toContain("may differ a little from the effective price above")
  expect(Math.max(...screen.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80)
})

const minute = 60_000
const noParts = { repeatedTokens: 0, addedTokens: 0 }

test("[IM2 TU7] what was recorded is priced as it was recorded, and only what follows soon is warm", () => {
  const figures = new ReplayFigures()
  figures.add("s", request(0), counted(100, 0, 400), counted(0, 0, 0, 500), noParts)
  figures.add("s", request(5 * minute), counted(100, 300), counted(400), noParts)
  figures.add("s", request(11 * minute), counted(500), null, noParts)
  figures.add("other", request(11 * minute), counted(100, 900), null, noParts)
  expect(figures.record).toMatchObject({
    requests: 4,
    inputTokens: 2_400,
    cacheRead: 1_200,
    cacheWrite: 400,
    readShare: 0.5,
    readShareWarm: 0.75,
    // Read costs a quarter of input here, written for five minutes 1.25, for an hour double.
    costUnits: 100 + 400 * 1.25 + 100 + 300 / 4 + 500 + 100 + 900 / 4,
    recordedCostUnits: 500 * 2 + 400,
    largest: 1_000,
    averageRequest: 600,
    recordedAverage: 450,
  })
})

test("[IM2 SS1] a fork asked for nothing that it copied", () => {
  const turn = (name: string) => [
    { type: "turn.started", turn: name, request: { markers: [] } },
    { type: "turn.settled", turn: name, ledger: { usage: { input: 1, cacheRead: 0, cacheWrite: 0 } } },
  ]
  const asked = (origin: object | null) => {
    const log = [{ type: "session.created", origin }, ...turn("one"), ...turn("two")]
    const events = log.map((fact, at) => ({ seq: at + 1, time: 0, fact: fact as unknown as Fact }) as Event)
    return [...recordedLog("s", events).requests.keys()]
  }
  expect(asked(null)).toEqual(["one", "two"])
  expect(asked({ kind: "import", source: "x", seq: 3 })).toEqual(["one", "two"])
  expect(asked({ kind: "fork", source: "ses_1", seq: 3 })).toEqual(["two"])
})

describe("the head of the first request", () => {
  const blocks = [block("tools", "head", 1_000), block("messages", "words", 500)]
  const markers = [
    { block: 0, lifetime: "5m" },
    { block: 1, lifetime: "5m" },
  ]
  const first = request(0, { blocks, markers })

  test("[IM2] was in the cache where the recorded one read something", () => {
    expect(createOracle().count(first, counted(0, 900, 600))).toEqual(counted(0, 1_000, 500))
  })

  test("[IM2] is written where it read nothing, or nothing is known of it", () => {
    expect(createOracle().count(first, counted(0, 0, 1_500))).toEqual(counted(0, 0, 1_500))
    expect(createOracle().count(first, null)).toEqual(counted(0, 0, 1_500))
  })
})

test("[IM2] what is added without a break has the size by which the recorded prompt grew, whatever its pass is called", () => {
  const head = block("tools", "head", 1_000)
  const sizes = (pass: "hold" | "refresh") => {
    const oracle = createOracle()
    const first = oracle.count(request(0, { blocks: [head] }), counted(1_000))
    const next = request(1_000, { blocks: [head, block("messages", "words", 500)], pass })
    return [first, oracle.count(next, counted(1_300))].map(({ input }) => input)
  }
  expect([sizes("hold"), sizes("refresh")]).toEqual([
    [1_000, 1_300],
    [1_000, 1_300],
  ])
})
