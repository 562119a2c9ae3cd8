/** What became of one prompt, where its Session was given others beside it. */
import type { Event } from "@holdfast/sdk"
import { expect, test } from "vitest"
import { isAnswered, ownResult } from "../src/conversation/own-result.ts"

type Result = Parameters<typeof ownResult>[0]

/** That of the newest input, "second": it failed, and the drain with it. */
const newest = {
  status: "failed",
  reason: { code: "refusal", message: "No." },
  session: "ses_1",
  prompt: "second",
  turns: 1,
  text: "Theirs.",
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  cost: 9,
  model: { provider: "p", model: "theirs" },
} as Result

const promoted = (prompt: string) => ({ type: "prompt.promoted", prompt })
const turn = (id: string, status: string, text: string, cost: number | null = 1) => [
  { type: "turn.started", turn: id, model: { provider: "p", model: id } },
  { type: "part.recorded", turn: id, part: { type: "text", text } },
  { type: "part.recorded", turn: id, part: { type: "call", call: "c" } },
  {
    type: "turn.settled",
    turn: id,
    status,
    reason: status === "failed" ? { code: "x", message: "Own." } : null,
    ledger: { usage: { input: 10, output: 2, cacheRead: 3, cacheWrite: 4 }, cost },
  },
]
const ownOf = (...facts: readonly object[]) =>
  ownResult(newest, "first", facts.map((fact, at) => ({ seq: at + 1, fact })) as unknown as readonly Event[])

test("[PR3] a queued prompt behind it leaves its turns, text, usage and end alone", () => {
  const own = ownOf(
    ...turn("before", "done", "Older."),
    promoted("first"),
    ...turn("one", "continue", "Working."),
    ...turn("two", "done", "Mine."),
    promoted("second"),
    ...turn("three", "failed", "Theirs."),
  )
  expect(own).toMatchObject({
    status: "done",
    reason: null,
    prompt: "first",
    turns: 2,
    text: "Mine.",
    cost: 2,
  })
  expect(own.usage).toEqual({ input: 20, output: 4, cacheRead: 6, cacheWrite: 8 })
  expect(own.model).toEqual({ provider: "p", model: "two" })
})

test("[PR3] a steer on the way joins: the turns behind it answer both, and end as the drain does", () => {
  const own = ownOf(
    promoted("first"),
    ...turn("one", "continue", "Working."),
    promoted("second"),
    ...turn("two", "failed", "For both.", null),
  )
  expect(own).toMatchObject({
    status: "failed",
    reason: newest.reason,
    turns: 2,
    text: "For both.",
    cost: null,
  })
})

test("a failure of its own is told, though the prompt behind it was answered", () => {
  const own = ownOf(promoted("first"), ...turn("one", "failed", "Half."), promoted("second"))
  expect(own).toMatchObject({ status: "failed", reason: { message: "Own." }, turns: 1, text: "Half." })
})

test("a prompt that was never taken has nothing of its own", () => {
  expect(ownOf(promoted("second"), ...turn("three", "failed", "Theirs."))).toBe(newest)
})

test("[PR3] it is over when it is answered and another prompt was taken behind it, not before", () => {
  const over = (...facts: readonly object[]) =>
    isAnswered("first", facts.map((fact, at) => ({ seq: at + 1, fact })) as unknown as readonly Event[])
  const answered = [promoted("first"), ...turn("one", "done", "Mine.")]
  expect(over(...answered)).toBe(false)
  expect(over(...answered, promoted("second"))).toBe(true)
  expect(over(promoted("first"), ...turn("one", "continue", "Working."), promoted("second"))).toBe(false)
  // A model that failed may be followed by another that takes the turn.
  expect(over(promoted("first"), ...turn("one", "failed", "Half."), promoted("second"))).toBe(false)
})
