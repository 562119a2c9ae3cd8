/** Sums of `holdfast window`: what kept the cache warm is a part of the Session, and little is not nothing (SU2). */
import type { PlannedRequest, Session, TurnRecord } from "@holdfast/sdk"
import { expect, test } from "vitest"
import { layoutWindow } from "../../src/window/layout.ts"
import { windowView } from "../../src/window/view.ts"

const usage = { input: 10, output: 5, cacheRead: 60, cacheWrite: 30 }
const turn = {
  started: { turn: "trn_a", request: { blocks: 3 } },
  settled: { ledger: { usage, cost: 0.25 } },
  warmed: [
    { usage: { input: 0, output: 1, cacheRead: 100, cacheWrite: 0 }, cost: 0.01 },
    { usage: { input: 2, output: 1, cacheRead: 98, cacheWrite: 0 }, cost: 0.01 },
  ],
} as unknown as TurnRecord
const session = { id: "ses_1", title: "t", status: { state: "idle", owing: false } } as unknown as Session
const request = {
  model: { provider: "local", model: "small" },
  due: false,
  obstacle: null,
  segments: [{ name: "tail", source: "history", why: "kept", tokens: 90, tokensCached: 0, blocks: [] }],
  limit: { contextTokens: 1_000_000, outputTokens: 100 },
  lastBreak: null,
  break: null,
  cost: { lastTurn: 0.25, session: 0.27, accuracy: { lastTurn: "exact", session: "exact" } },
} as unknown as PlannedRequest

test("[SU2 TU7] the tokens that kept the cache of a turn are those of the Session, and not of the turn", () => {
  const { lastTurn, spent } = windowView(session, request, [turn])
  expect(lastTurn?.usage).toEqual(usage)
  expect(spent).toMatchObject({ usage: { input: 12, output: 7, cacheRead: 258, cacheWrite: 30 }, cost: 0.27 })
})

test("[SU2] a window that holds little of what it may does not look empty", () => {
  const lines = layoutWindow(windowView(session, request, [turn]), (_, text) => text)
  const [gauge] = lines.filter((line) => /^[█▒·]+$/.test(line))
  expect(gauge).toMatch(/^▒·+$/)
})
