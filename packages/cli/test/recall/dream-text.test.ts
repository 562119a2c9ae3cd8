/** What `dream` says of a run: the lines that differ, tasks that were left out, and what a revert did. */
import { expect, test } from "vitest"
import type { DreamReport, DreamRun, RevertedDream } from "@holdfast/sdk"
import { differentLines } from "../../src/recall/line-difference.ts"
import { revertedText, runLine, stoppedRunText, undone } from "../../src/recall/dream.ts"

const differing = (before: string, after: string) =>
  differentLines(before, after).map(
    ({ kind, text, apart }) => `${apart ? "…" : ""}${kind === "gone" ? "-" : "+"}${text}`,
  )

test("[SU4] of a document only the lines that differ are shown, wherever they are", () => {
  expect(differing("a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n")).toEqual(["-a", "+A", "…-e", "+E"])
  expect(differing("a\nb\nc\n", "a\nx\nb\nc\n")).toEqual(["+x"])
  expect(differing("a\na\n", "a\n")).toEqual(["-a"])
  expect(differing("", "a\nb\n")).toEqual(["+a", "+b"])
  expect(differing("a\nb\n", "")).toEqual(["-a", "-b"])
  expect(differing("a\nb\n", "a\nb\n")).toEqual([])
})

test("[SU4] of documents that are too long to compare all lines between the common ends differ", () => {
  const lines = (mark: string) => Array.from({ length: 2_100 }, (_, at) => `${mark}${at}`).join("\n")
  expect(differing(`head\n${lines("a")}\nmid`, `head\n${lines("b")}\nmid`)).toHaveLength(4_200)
})

test("[DM1 SU4] tasks that were left out are told, with why, in a run and not in a plan", () => {
  const task = (name: string, outcome: string, reason: string | null) =>
    ({ task: name, outcome, reason, changes: 0, refused: 0 }) as DreamReport["tasks"][number]
  const tasks = [
    task("tidy", "done", null),
    task("verify", "failed", "No."),
    task("archive-stale", "skipped", "After 3 equal failures: No."),
    task("improve", "skipped", "After 3 equal failures: No."),
  ]
  expect(undone(tasks, false)).toEqual([
    "verify failed: No.",
    "archive-stale, improve left out: After 3 equal failures: No.",
  ])
  expect(undone(tasks.slice(2), true)).toEqual([])
})

test("[DM1 SU4] what a model wanted and did not get is told, with why", () => {
  const task = (reason: string | null) =>
    ({ task: "archive-stale", outcome: "done", reason, changes: 0, refused: 1 }) as const
  expect(undone([task(null), task("of what a person said, which no model changes")], false)).toEqual([
    "archive-stale: 1 change beyond what one run may do, or no longer possible.",
    "archive-stale: 1 change left out: of what a person said, which no model changes.",
  ])
})

test("[DM1 SU4] a run that was taken back is listed as that", () => {
  const run = { run: "d4", by: "person", startedAt: 0, settledAt: 1, outcome: "done", tasks: [], cost: 0 }
  const line = (more: Partial<DreamRun>) => runLine({ ...run, changes: 4, ...more } as DreamRun, 1)
  expect(line({})).toContain("done  4 changes  $0")
  expect(line({ takenBack: true })).toContain("done  4 changes, taken back  $0")
})

test("[DM1 SU4] a revert says what came back, what remains, and what was back already", () => {
  const text = (given: object, ...only: readonly string[]) =>
    revertedText({ run: "d4", reverted: [], documents: [], kept: [], ...given } as RevertedDream, only)
  expect(text({ reverted: ["m1", "m2"] })).toBe("d4 is taken back: 2 memories as before, for $0.")
  expect(text({ reverted: ["m1", "m2"], remaining: ["m5"] }, "m7")).toBe(
    "m7 of d4 is taken back: m1, m2 as before, for $0.\nThe rest of d4 stays as it is: m5. Take it back: holdfast dream revert d4",
  )
  expect(text({ already: ["m1"] })).toBe("d4 is taken back already.")
  expect(text({ already: ["m1", "m2"] }, "m1", "m2")).toBe("m1, m2 of d4 are taken back already.")
  expect(text({ kept: [{ of: "m1", reason: "It was changed since." }] })).toBe(
    "There is nothing left to take back of d4.\nm1 stays: It was changed since.",
  )
})

test("[DM1 SU4] a run that is stopped tells what it made so far, and nothing of another run", () => {
  const text = (given: Partial<DreamRun>) =>
    stoppedRunText(
      [{ run: "d4", outcome: null, startedAt: 100_000, changes: 2, ...given } as DreamRun],
      100_000,
    )
  const nothing = "Nothing was changed. Repeat the command to begin again."
  expect(text({})).toBe(
    "2 changes are made and stay. Repeat the command to go on, or take it back: holdfast dream revert d4",
  )
  expect(text({ changes: 0 })).toBe(nothing)
  expect(text({ outcome: "done" })).toBe(nothing)
  expect(text({ startedAt: 1 })).toBe(nothing)
})
