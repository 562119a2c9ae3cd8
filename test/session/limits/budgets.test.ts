/** A spent budget pauses a Session until a person raises it (DR9). */
import { afterEach, expect, test } from "vitest"
import type { BudgetChange } from "@holdfast/schema/fact/budget"
import type { SessionId } from "@holdfast/schema/id"
import { Stage, type StageOptions } from "../harness.ts"
import { faulty } from "../model.ts"
import { workTool } from "../tools.ts"

let stage: Stage
const price = { input: 10, output: 10, cacheRead: 10, cacheWrite: 10 }
const open = (options: StageOptions = {}) =>
  (stage = new Stage({ tools: [workTool((line) => stage.journal.push(line))], price, ...options }))
afterEach(() => stage.close())

const create = (budget: BudgetChange): SessionId =>
  stage.ask((runtime) => runtime.create({ directory: "/project", budget })).id
const raise = (session: SessionId, budget: BudgetChange) =>
  stage.ask((runtime) => runtime.update(session, { budget }))
const info = (session: SessionId) => stage.ask((runtime) => runtime.get(session))
const used = (session: SessionId): number =>
  Object.values(info(session).usage).reduce((sum, tokens) => sum + tokens, 0)
const call = (at: number) => ({ blocks: [{ type: "tool_use" as const, name: "work", input: { at } }] })
const blocked = { kind: "blocked", reason: { code: "budget_spent" } }

/** What a Session uses that calls a tool twice and then answers, turn by turn. */
const measured = (): readonly number[] => {
  const session = create({})
  stage.replies.push(call(1), call(2))
  stage.converse(session, "Work")
  const sums = stage.turns(session).map(({ settled }) => Object.values(settled?.ledger.usage ?? {}))
  stage.sent.length = 0
  return sums.map((counts) => counts.reduce((sum, tokens) => sum + tokens, 0))
}

test("[DR9] pauses before the call that follows the one which spent it, and goes on once it is raised", () => {
  open()
  const [first = 0, second = 0] = measured()
  const session = create({ tokens: first + 1 })
  stage.replies.push(call(1), call(2))
  expect(stage.converse(session, "Work")).toMatchObject(blocked)
  expect(stage.sent).toHaveLength(2)
  expect(used(session)).toBe(first + second)
  expect(info(session).status).toMatchObject({
    state: "blocked",
    owing: true,
    reason: { code: "budget_spent", message: expect.stringContaining(`of ${first + 1} tokens is spent`) },
  })
  expect(stage.resume(session)).toMatchObject(blocked)
  expect(stage.facts(session, "session.updated")).toHaveLength(1)
  expect(stage.sent).toHaveLength(2)
  expect(raise(session, { tokens: 1_000_000 }).status).toMatchObject({
    state: "idle",
    owing: true,
    reason: null,
  })
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(stage.sent).toHaveLength(3)
})

test("[DR9] keeps a prompt that comes when nothing is left, and promotes it once it is raised", () => {
  open()
  const session = create({ money: 0.000_001 })
  expect(stage.converse(session, "First")).toEqual({ kind: "done" })
  expect(stage.converse(session, "Second")).toMatchObject(blocked)
  expect(info(session).status).toMatchObject({ state: "blocked", pending: 1, owing: false })
  stage.restart()
  expect(stage.sent).toHaveLength(1)
  raise(session, { money: null })
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(stage.sent.map(({ lines }) => lines.at(-1))).toEqual(["user: First", "user: Second"])
})

test("[DR9 DR5] a restart that goes on by itself meets the budget too", () => {
  open()
  const session = create({ tokens: 1 })
  stage.ask((runtime) => runtime.update(session, { policy: "continue" }))
  stage.replies.push(call(1))
  expect(stage.converse(session, "Work")).toMatchObject(blocked)
  stage.restart()
  stage.settle(session)
  expect(stage.sent).toHaveLength(1)
})

test("[DR9] a limit that is lowered while a call runs holds at the next boundary", () => {
  open({ tools: [workTool((line) => stage.journal.push(line), { ms: 5_000 })] })
  const session = create({})
  stage.replies.push(call(1))
  stage.prompt(session, "Work")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  raise(session, { tokens: 1 })
  expect(stage.settle(session)).toMatchObject(blocked)
  expect(stage.sent).toHaveLength(1)
})

test("[DR9] counts the tokens of a call whose price is not known, and says that the money is incomplete", () => {
  stage = new Stage({ tools: [] })
  const session = create({ money: 0.01, tokens: 1 })
  expect(stage.converse(session, "First")).toEqual({ kind: "done" })
  expect(info(session)).toMatchObject({ cost: null, costKnown: 0 })
  const end = stage.converse(session, "Second")
  expect(end).toMatchObject(blocked)
  expect(raise(session, { tokens: null }).budget).toEqual({ tokens: null, money: 0.01 })
  expect(stage.resume(session)).toEqual({ kind: "done" })
})

test("[DR9] an attempt that was paid for and broke off is not made again on a spent budget", () => {
  open()
  const session = create({ tokens: 10 })
  stage.replies.push(faulty({ kind: "cut", afterDeltas: 3 }), faulty({ kind: "cut", afterDeltas: 3 }))
  expect(stage.converse(session, "Work")).toMatchObject(blocked)
  expect(stage.sent).toHaveLength(1)
  expect(stage.turns(session).at(-1)?.settled).toMatchObject({
    status: "failed",
    reason: { code: "stream_cut" },
  })
  raise(session, { tokens: 1_000_000 })
  stage.replies.length = 0
  expect(stage.resume(session)).toEqual({ kind: "done" })
})

test("[DR9] money goes on counting where a part of it is not known", () => {
  open()
  const session = create({ money: 100 })
  stage.lineTrouble = () => (stage.sent.length === 1 ? "silent" : null)
  stage.converse(session, "First")
  const first = info(session)
  expect(first.cost).toBeNull()
  expect(first.costKnown).toBeGreaterThan(0)
  stage.converse(session, "Second")
  const { costKnown } = info(session)
  expect(costKnown).toBeGreaterThan(first.costKnown)
  raise(session, { money: costKnown })
  const end = stage.converse(session, "Third")
  expect(end).toMatchObject(blocked)
  expect(end && "reason" in end ? end.reason.message : "").toContain("the price of some calls is not known")
})

test("[DR9 SS1] a fork has the budget of its source, and has spent nothing of it", () => {
  open()
  const session = create({ tokens: 1, money: 5 })
  stage.converse(session, "First")
  const fork = stage.ask((runtime) => runtime.fork({ sessionID: session }))
  expect(fork).toMatchObject({ budget: { tokens: 1, money: 5 }, costKnown: 0 })
  expect(stage.converse(fork.id, "Second")).toEqual({ kind: "done" })
  expect(stage.converse(fork.id, "Third")).toMatchObject(blocked)
})

test("[DR9] nothing is probed on a spent budget", () => {
  open()
  const session = create({ tokens: 1 })
  stage.converse(session, "First")
  const message = stage.messages(session)[0]?.id ?? ""
  stage.prompt(session, "Second", { resume: false })
  expect(stage.ask((runtime) => runtime.probe(session, [message]))).toMatchObject({
    kind: "failed",
    reason: { code: "budget_spent" },
  })
  expect(stage.sent).toHaveLength(1)
})
