/** What a change of a Session writes: only what is different. */
import { expect, test } from "vitest"
import { planChange, type SessionChange } from "../../src/caller/change.ts"

const model = { provider: "sim", model: "script" }
const row = { title: "Greeter", model, policy: "settle", allow: ["write"], archived: false } as const

const cases: readonly (readonly [name: string, change: SessionChange, fact: object | null])[] = [
  ["nothing", {}, null],
  ["what is in force", { title: "Greeter", model: { ...model }, policy: "settle" }, null],
  ["tools that are allowed already", { allow: ["write"] }, null],
  ["one tool more", { allow: ["write", "bash"] }, { allow: ["write", "bash"] }],
  ["no tool any more", { allow: [] }, { allow: [] }],
  ["another policy", { policy: "continue" }, { policy: "continue" }],
  [
    "another title beside the same policy",
    { title: "Other", policy: "settle" },
    { title: "Other", titledBy: "person" },
  ],
  ["no title", { title: null }, { title: null, titledBy: "runtime" }],
  [
    "another model of the same provider",
    { model: { provider: "sim", model: "other" } },
    { model: { provider: "sim", model: "other" } },
  ],
]

test.each(cases)("[DR5 CO4] %s", (_, change, fact) =>
  expect(planChange(row, change)).toEqual(fact === null ? null : { type: "session.updated", ...fact }),
)

test("[SS1] is archived once, and taken back once", () => {
  expect(planChange(row, { archived: false })).toBeNull()
  expect(planChange(row, { archived: true })).toEqual({ type: "session.updated", archived: true })
  expect(planChange({ ...row, archived: true }, { archived: true })).toBeNull()
})

test("[CO4] a first choice is a change", () =>
  expect(planChange({ ...row, title: null, model: null }, { title: null, model })).toEqual({
    type: "session.updated",
    model,
  }))
