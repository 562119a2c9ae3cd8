/** What others write into a Session without its lease, while somebody leads it or nobody does. */
import { afterEach, expect, test } from "vitest"
import type { AskId, NoticeId, SessionId } from "@holdfast/schema/id"
import type { ContributedFact } from "@holdfast/store/port"
import { FactSource } from "./fact-source.ts"
import { Stage, type StageOptions } from "./harness.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const open = (options: StageOptions = {}): SessionId => {
  stage = new Stage({ tools: [workTool((line) => stage.journal.push(line), { ms: 5_000 })], ...options })
  return stage.create()
}
afterEach(() => stage.close())

const callWork = { blocks: [{ type: "tool_use", name: "work", input: {} }] } as const

const write = (session: SessionId, fact: ContributedFact) =>
  stage.ask((runtime) => runtime.contribute(session, fact))

const notice = (id: string, wakes: boolean): ContributedFact => ({
  type: "notice.admitted",
  notice: id as NoticeId,
  source: { kind: "command", id },
  text: `The command ${id} has ended.`,
  delivery: "steer",
  wakes,
})

const ask = (id: string): ContributedFact => ({
  type: "ask.raised",
  ask: id as AskId,
  subject: { kind: "trust", path: "plugin.ts", hash: "00" },
  question: "Is it trusted?",
  resources: [],
  rule: null,
  agent: "build",
  options: [],
})

const answer = (id: string): ContributedFact => ({
  type: "ask.answered",
  ask: id as AskId,
  decision: "allow",
  scope: "once",
  text: null,
  by: "person",
})

const told = (id: string) => `user: <notice from="runtime">\nThe command ${id} has ended.\n</notice>`
const same = (session: SessionId) => new Set(stage.verdicts(session))

test("[PR7 PR8] a notice is promoted at the next boundary, once, owes a turn and resets no allowance", () => {
  const session = open({ turnsMax: 3 })
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(() => stage.facts(session, "call.started").length > 0)
  expect(write(session, notice("one", true))).toMatchObject({ kind: "contributed", repeated: false })
  expect(write(session, notice("one", true))).toMatchObject({ kind: "contributed", repeated: true })
  stage.settle(session)
  expect(stage.sent[1]?.lines.at(-1)).toBe(told("one"))
  expect(stage.facts(session, "notice.promoted")).toHaveLength(1)
  expect(stage.turns(session).map(({ started }) => started.allowanceUsed)).toEqual([1, 2])
  write(session, notice("two", true))
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.sent.at(-1)?.lines.at(-1)).toBe(told("two"))
  expect(stage.turns(session).map(({ started }) => started.allowanceUsed)).toEqual([1, 2, 3])
  expect(stage.messages(session).filter(({ kind }) => kind === "user")).toHaveLength(1)
  expect(same(session)).toEqual(new Set(["same"]))
})

test("[PR5] a notice that calls for no turn wakes nobody, and rides on the next", () => {
  const session = open()
  stage.converse(session, "Hello")
  write(session, notice("quiet", false))
  stage.pass(60_000)
  expect(stage.sent).toHaveLength(1)
  expect(stage.status(session)).toMatchObject({ state: "idle", pending: 0, owing: false })
  stage.restart()
  stage.converse(session, "More")
  expect(stage.sent.at(-1)?.lines.slice(-2)).toEqual([told("quiet"), "user: More"])
})

test("[PE3 PR8] nothing runs while an ask is open, from any process, and the answer wakes the Session", () => {
  const session = open()
  stage.converse(session, "Hello")
  write(session, ask("ask_1"))
  expect(stage.status(session)).toMatchObject({ state: "asking", asks: 1, owing: false })
  stage.prompt(session, "More")
  stage.settle(session)
  stage.restart()
  stage.pass(60_000)
  expect(stage.sent).toHaveLength(1)
  expect(stage.status(session)).toMatchObject({ state: "asking", pending: 1 })
  expect(write(session, answer("ask_1"))).toMatchObject({ kind: "contributed" })
  expect(write(session, answer("ask_1"))).toEqual({ kind: "refused", problem: "not-open" })
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.sent.at(-1)?.lines.at(-1)).toBe("user: More")
})

test("[PE3] an ask that comes while a turn runs lets its calls settle and starts no other turn", () => {
  const session = open()
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(() => stage.facts(session, "call.started").length > 0)
  write(session, ask("ask_1"))
  expect(stage.settle(session)).toMatchObject({ kind: "asking" })
  expect(stage.facts(session, "call.settled")).toMatchObject([{ outcome: { state: "done" } }])
  expect(stage.sent).toHaveLength(1)
  write(session, answer("ask_1"))
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.sent).toHaveLength(2)
})

test("[LL7 TU1] a message taken out while its turn runs is missing from the next request, and both rebuild", () => {
  const session = open()
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(() => stage.facts(session, "call.started").length > 0)
  const [first] = stage.messages(session)
  stage.ask((runtime) => runtime.quarantine(session, first?.id ?? ""))
  stage.settle(session)
  expect(stage.sent[0]?.lines).toContain("user: Hello")
  expect(stage.sent[1]?.lines).not.toContain("user: Hello")
  expect(stage.turns(session)[1]?.started).toMatchObject({ pass: "refresh", break: { reason: "quarantine" } })
  expect(same(session)).toEqual(new Set(["same"]))
})

test("[DR1 TU1] a process goes on from what it remembers, with what another led and wrote since", () => {
  const session = open()
  const first = stage.current
  stage.converse(session, "One")
  const second = stage.boot()
  stage.converse(session, "Two")
  write(session, { type: "session.updated", title: "Named elsewhere", titledBy: "person" })
  stage.current = first
  stage.converse(session, "Three")
  expect(stage.sent.at(-1)?.lines).toEqual([
    "user: One",
    "assistant: Answer 1.",
    "user: Two",
    "assistant: Answer 2.",
    "user: Three",
  ])
  expect(stage.turns(session).map(({ started }) => started.pass)).toEqual(["fold", "hold", "hold"])
  expect(stage.ask((runtime) => runtime.get(session)).title).toBe("Named elsewhere")
  expect(same(session)).toEqual(new Set(["same"]))
  second.process.dead = true
})

test("[TU7] the row of a killed turn keeps its break and the cache it expected", () => {
  const fact = new FactSource("sim/fact", "one")
  const session = open({ sources: [fact] })
  stage.converse(session, "One")
  fact.shape = "body"
  fact.value = "two"
  stage.replies.push(callWork)
  stage.prompt(session, "Two")
  stage.until(() => stage.facts(session, "call.started").length > 0)
  stage.kill()
  stage.boot()
  stage.settle(session)
  const [, killed] = stage.turns(session)
  expect(killed?.settled).toMatchObject({ status: "interrupted", reason: { code: "process_ended" } })
  expect(killed?.settled?.ledger).toMatchObject({ attempts: [{ failure: { code: "process_ended" } }] })
  expect(killed?.started).toMatchObject({
    pass: "fold",
    break: { segment: "system", reason: "epoch_incompatible" },
  })
})
