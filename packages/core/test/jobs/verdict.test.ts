/** Which ends of a job ask the next model of its list, as a table. */
import { expect, test } from "vitest"
import { invalidOutput, judgeEnd } from "../../src/jobs/verdict.ts"

test.each([
  ["model_not_found", true],
  ["key_missing", true],
  ["empty_answer", true],
  ["output_limit", true],
  ["refusal", true],
  ["overloaded", true],
  ["unauthorized", false],
  ["budget_spent", false],
] as const)("[HI8] where a model ends with %s the next one is asked: %s", (code, movesOn) => {
  const reason = { code, message: "It ended." }
  for (const kind of ["failed", "blocked"] as const)
    expect(judgeEnd({ kind, reason })).toEqual({ kind: "failed", reason, movesOn })
  expect(judgeEnd({ kind: "interrupted", reason })).toEqual({ kind: "aborted", reason, movesOn: false })
})

test("[HI8] nobody is told to resume a job: what asked for it asks again by itself", () => {
  const reason = { code: "overloaded", message: "It is busy. It was tried 3 times. Resume to try again." }
  expect(judgeEnd({ kind: "failed", reason }).reason).toEqual({
    code: "overloaded",
    message: "It is busy. It was tried 3 times.",
  })
})

test("[HI1 HI8] an answer that cannot be used says why in a bounded sentence, and the next model is asked", () => {
  const end = invalidOutput(["There is no <history>.", "x".repeat(5_000)])
  expect(end).toMatchObject({ kind: "failed", movesOn: true, reason: { code: "job_output_invalid" } })
  expect(end.reason.message).toContain("There is no <history>.")
  expect(end.reason.message.length).toBeLessThanOrEqual(600)
})
