import { expect, test } from "vitest"
import { crashReason, planRecovery } from "../../src/session/recovery.ts"
import {
  admitted,
  callPart,
  callSettled,
  callStarted,
  fold,
  promoted,
  settled,
  started,
  textPart,
} from "./records.ts"

const never = () => undefined

test("[DR4] has nothing to settle where everything is settled", () => {
  const state = fold([started(1), textPart(1, 0, "hi"), settled(1, "done")])
  expect(planRecovery(state, [{ index: 1, type: "text", text: "stray" }], never)).toEqual([])
})

test("[DR4 DR5] settles recorded, running and never the settled calls, then the turn", () => {
  const facts = [
    callPart(1, 0, 1),
    callStarted(1, 1),
    callPart(1, 1, 2),
    callPart(1, 2, 3, "look"),
    callStarted(1, 3),
  ]
  const state = fold([started(1), ...facts, callPart(1, 3, 4), callStarted(1, 4), callSettled(1, 4)])
  const plan = planRecovery(state, [], (tool) => ({ repeatable: tool === "look" }))
  expect(
    plan.map((fact) =>
      fact.type === "call.settled" ? [fact.call, fact.outcome.output.split(".")[0]] : fact.type,
    ),
  ).toEqual([
    ["call_1", "Outcome unknown; check before repeating"],
    ["call_2", "[interrupted before it started]"],
    ["call_3", "Outcome unknown; safe to repeat"],
    "turn.settled",
  ])
  expect(plan.at(-1)).toMatchObject({ status: "interrupted", reason: crashReason })
  const after = fold(plan, state)
  expect(planRecovery(after, [], never)).toEqual([])
})

test("[TU3] turns scratch into parts marked interrupted, but not where the part is on record", () => {
  const state = fold([started(1), textPart(1, 0, "whole")])
  const plan = planRecovery(
    state,
    [
      { index: 0, type: "text", text: "who" },
      { index: 1, type: "reasoning", text: "because" },
      { index: 2, type: "text", text: "half" },
      { index: 3, type: "text", text: "" },
    ],
    never,
  )
  expect(plan.flatMap((fact) => (fact.type === "part.recorded" ? [[fact.index, fact.part]] : []))).toEqual([
    [1, { type: "reasoning", text: "because", native: null, interrupted: true }],
    [2, { type: "text", text: "half", interrupted: true }],
  ])
})

test("[TU7] the row of a killed turn counts what is on record of it, and says that it may be more", () => {
  const ledgerOf = (facts: Parameters<typeof fold>[0], text: string) =>
    planRecovery(fold(facts), [{ index: 0, type: "text", text }], never, new Map(), 250).flatMap((fact) =>
      fact.type === "turn.settled" ? [fact.ledger] : [],
    )[0]
  const killed = { cost: null, accuracy: "incomplete", durationMs: 250, atLeast: true }
  expect(ledgerOf([started(1)], "")).toMatchObject({ ...killed, attempts: [] })
  for (const said of [ledgerOf([started(1)], "hal"), ledgerOf([started(1), textPart(1, 0, "hi")], "")])
    expect(said).toMatchObject({ ...killed, attempts: [{ failure: crashReason, accuracy: "incomplete" }] })
})

test("[TU7] calls that a prompt brings are no attempt", () => {
  const brings = Object.assign(admitted(1), { calls: [{ name: "read", input: {} }] })
  const state = fold([brings, promoted(1, 1), started(1), callPart(1, 0, 1)])
  const plan = planRecovery(state, [], never)
  expect(plan.at(-1)).toMatchObject({ type: "turn.settled", ledger: { attempts: [] } })
})
