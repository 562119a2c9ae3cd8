/** Profiles: a function's own time, named by its place in the repository, within the span that was asked for. */
import { expect, test } from "vitest"
import { type CpuProfile, formatProfiles, timeOf } from "../../scripts/bench/profile.ts"

const frame = (functionName: string, url = "", lineNumber = -1) => ({ functionName, url, lineNumber })
const profile: CpuProfile = {
  startTime: 1_000,
  nodes: [
    { id: 1, callFrame: frame("(idle)") },
    { id: 2, callFrame: frame("commit", "file:///repository/packages/store/src/a.ts", 8) },
    { id: 3, callFrame: frame("", "node:internal/timers", 1) },
  ],
  samples: [2, 1, 2, 3],
  timeDeltas: [5_000, 2_000, 3_000, 1_000],
}
const root = "/repository"

test("time is a function's own, and waiting is no part of it", () =>
  expect(timeOf(profile, { root })).toEqual({
    busyMs: 9,
    idleMs: 2,
    functions: [
      { name: "commit packages/store/src/a.ts:9", selfMs: 8 },
      { name: "(anonymous) node:internal/timers:2", selfMs: 1 },
    ],
  }))

test("what was sampled outside of the span is left out", () =>
  expect(timeOf(profile, { root, startNs: 7e6, endNs: 11e6 })).toMatchObject({ busyMs: 3, idleMs: 2 }))

test("shares are of the time that a thread was not idle", () =>
  expect(formatProfiles([{ thread: "main thread", ...timeOf(profile, { root }) }])).toBe(
    [
      "main thread: not idle 82 % of the time; of that, in the function itself:",
      "   88.9 %  commit packages/store/src/a.ts:9",
      "   11.1 %  (anonymous) node:internal/timers:2",
    ].join("\n"),
  ))
