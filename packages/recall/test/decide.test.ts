/** The execute decision as a table: every row is one moment of a Session. */
import { describe, expect, test } from "vitest"
import {
  decide,
  type Decision,
  type ExecuteQuestion,
  isMidTurn,
  longestLifetimeMs,
  thresholdOf,
} from "@holdfast/recall/decide"
import { assistant, call, system, text, user } from "./history.ts"

const quiet: ExecuteQuestion = {
  usage: 0.3,
  threshold: 0.65,
  idleMs: 1_000,
  lifetimeMs: 300_000,
  midTurn: false,
  fresh: true,
  signals: new Set(),
  mode: "primary",
}

type Row = readonly [string, Partial<ExecuteQuestion>, string]

const told = (decision: Decision): string =>
  decision.kind === "execute" ? `execute: ${decision.reason}` : decision.kind

const rows: readonly Row[] = [
  ["nothing is due", {}, "hold"],
  ["right below the threshold", { usage: 0.649 }, "hold"],
  ["at the threshold", { usage: 0.65 }, "execute: threshold"],
  ["at the threshold, and nothing was said since", { usage: 0.7, fresh: false }, "hold"],
  ["at the threshold, and calls were just made", { usage: 0.65, midTurn: true }, "put-off"],
  ["right below what forces it", { usage: 0.849, midTurn: true }, "put-off"],
  ["at what forces it, and calls were just made", { usage: 0.85, midTurn: true }, "execute: forced"],
  ["a threshold that a person lowered", { usage: 0.3, threshold: 0.25 }, "execute: threshold"],
  ["the cache lives to the last moment", { idleMs: 300_000 }, "hold"],
  ["the cache has expired", { idleMs: 300_001 }, "execute: idle"],
  ["the cache has expired behind calls", { idleMs: 300_001, midTurn: true }, "execute: idle"],
  ["an hour was bought", { idleMs: 300_001, lifetimeMs: 3_600_000 }, "hold"],
  ["nothing was ever sent", { idleMs: null }, "hold"],
  ["nothing was ever sent, and it is long", { idleMs: null, usage: 0.7 }, "execute: threshold"],
  ["it was put off, and calls go on", { signals: new Set(["execute"]), midTurn: true }, "put-off"],
  ["it was put off, and they ended", { signals: new Set(["execute"]) }, "execute: deferred"],
  ["a drop waits", { signals: new Set(["drop"]) }, "hold"],
  [
    "at the threshold behind calls, and a flush was asked for",
    { usage: 0.7, midTurn: true, signals: new Set(["flush"]) },
    "execute: threshold",
  ],
  ["a subagent behind calls", { mode: "child", usage: 0.7, midTurn: true }, "execute: threshold"],
  ["a subagent that is nearly full is not forced", { mode: "child", usage: 0.9 }, "execute: threshold"],
  ["a job", { mode: "job", usage: 0.9, idleMs: 300_001, signals: new Set(["execute"]) }, "hold"],
]

describe("[PS5 PS8] whether a pass executes", () => {
  test.each(rows)("%s", (_, given, expected) => expect(told(decide({ ...quiet, ...given }))).toBe(expected))
})

test("[PS5] the threshold is 75 % unless set, at most 80 %, and never so low that nothing is kept", () => {
  expect([undefined, null, 0.7, 0.95, 0.01].map(thresholdOf)).toEqual([0.75, 0.75, 0.7, 0.8, 0.2])
})

test("[PS5] a turn goes on while the newest assistant message ended in calls, whatever stands behind it", () => {
  const calls = assistant(2, text("I look."), call(1, "seen"))
  expect(isMidTurn([user(1)])).toBe(false)
  expect(isMidTurn([user(1), calls])).toBe(true)
  expect(isMidTurn([user(1), calls, system(3)])).toBe(true)
  expect(isMidTurn([user(1), calls, assistant(3, text("Done.")), user(4)])).toBe(false)
})

test("[HB3] a cache lives as long as the longest of its markers, and an hour where none says", () => {
  const markers = (...lifetimes: readonly string[]) => lifetimes.map((lifetime) => ({ block: 0, lifetime }))
  expect(longestLifetimeMs([])).toBe(3_600_000)
  expect(longestLifetimeMs(markers("", "openai"))).toBe(3_600_000)
  expect(longestLifetimeMs(markers("5m"))).toBe(300_000)
  expect(longestLifetimeMs(markers("5m", "1h"))).toBe(3_600_000)
  expect(longestLifetimeMs(markers("24h"))).toBe(86_400_000)
})

test("[PS5] no cache is held for gone within five minutes, whatever its marks ask for", () => {
  const longest = (...lifetimes: readonly string[]) =>
    longestLifetimeMs(lifetimes.map((lifetime, block) => ({ block, lifetime }) as never))
  expect([longest("1m"), longest("1m", "7m"), longest("5m", "1h")]).toEqual([300_000, 420_000, 3_600_000])
})
