/** What a change of a Session writes: only what is different. */
import { expect, test } from "vitest"
import { planChange, type SessionChange } from "../../src/caller/change.ts"

const model = { provider: "sim", model: "script" }
const row = {
  title: "Greeter",
  model,
  agent: "build",
  policy: "settle",
  onAsk: "wait",
  allow: ["write"],
  budget: { tokens: 1_000, money: null },
  blocked: null,
  archived: false,
} as const

const cases: readonly (readonly [name: string, change: SessionChange, fact: object | null])[] = [
  ["nothing", {}, null],
  ["what is in force", { title: "Greeter", model: { ...model }, policy: "settle" }, null],
  ["the agent in force", { agent: "build" }, null],
  ["another agent", { agent: "plan" }, { agent: "plan" }],
  ["tools that are allowed already", { allow: ["write"] }, null],
  ["one tool more", { allow: ["write", "bash"] }, { allow: ["write", "bash"] }],
  ["no tool any more", { allow: [] }, { allow: [] }],
  ["another policy", { policy: "continue" }, { policy: "continue" }],
  [
    "another title beside the same policy",
    { title: "Other", policy: "settle" },
    { title: "Other", titledBy: "person" },
  ],
  ["no title", { title: null }, { title: null, titledBy: "person" }],
  [
    "another model of the same provider",
    { model: { provider: "sim", model: "other" } },
    { model: { provider: "sim", model: "other" } },
  ],
  [
    "the model of this name at another provider",
    { model: { provider: "other", model: "script" } },
    { model: { provider: "other", model: "script" } },
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

const spent = { code: "budget_spent", message: "It is spent." }
const elsewhere = { code: "location_missing", message: "It is gone." }

test.each([
  ["the budget in force changes nothing", null, { tokens: 1_000 }, null],
  ["no limit where there is none changes nothing", null, { money: null }, null],
  ["another limit is written alone", null, { tokens: 1_000, money: 1.5 }, { budget: { money: 1.5 } }],
  ["a limit is taken away", null, { tokens: null }, { budget: { tokens: null } }],
  [
    "what the budget held up is freed",
    spent,
    { tokens: 2_000 },
    { budget: { tokens: 2_000 }, blocked: null },
  ],
  ["what something else holds up is not", elsewhere, { tokens: 2_000 }, { budget: { tokens: 2_000 } }],
])("[DR9] %s", (_, blocked, budget, fact) =>
  expect(planChange({ ...row, blocked }, { budget })).toEqual(
    fact === null ? null : { type: "session.updated", ...fact },
  ),
)
