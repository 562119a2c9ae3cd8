/** Calls that somebody has to allow: what waits, what an answer frees, and what becomes of it after a kill. */
import { afterEach, expect, test } from "vitest"
import type { GivenAnswer } from "@holdfast/core/caller/asks"
import type { OnAsk } from "@holdfast/schema/fact/session"
import type { SessionId } from "@holdfast/schema/id"
import { Stage, type StageOptions } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
const journalled = (name: string, readOnly = false, ms = 1_000) =>
  workTool((line) => stage.journal.push(line.replace(/ call_.*/, "")), {
    name,
    readOnly,
    ms,
    text: `${name} done`,
  })

function open(
  options: StageOptions = {},
  onAsk: OnAsk = "wait",
  policy: "settle" | "continue" = "settle",
): SessionId {
  const tools = [journalled("write"), journalled("look", true), journalled("push"), asking]
  stage = new Stage({ tools, rules: { push: "ask", question: "ask" }, ...options })
  return stage.create(policy, onAsk)
}
afterEach(() => stage.close())

const asking = {
  name: "question",
  description: "Asks.",
  inputSchema: { type: "object", properties: {} },
  repeatable: false,
  question: () => ({ question: "Which one?", options: ["this", "that"] }),
  run: () => {
    throw new Error("a question never runs")
  },
} as const

const call = (name: string, input: Record<string, string> = {}) =>
  ({ type: "tool_use", name, input }) as const
const calls = (...blocks: ReturnType<typeof call>[]) => stage.replies.push({ blocks })

const started = () => stage.journal.filter((line) => line.startsWith("start"))
const asks = (session?: SessionId) => stage.ask((runtime) => runtime.asks(session))
const answer = (session: SessionId, given: GivenAnswer, at = 0) => {
  const ask = asks(session)[at]?.id ?? "ask_none"
  return stage.ask((runtime) => runtime.answer(ask, given))
}
const outcomes = (session: SessionId) =>
  stage
    .messages(session)
    .flatMap((message) =>
      message.kind !== "assistant"
        ? []
        : message.parts.flatMap(({ part }) =>
            part.type === "call" ? [[part.name, part.state, part.outcome?.output ?? null]] : [],
          ),
    )
const turns = (session: SessionId) => stage.turns(session).map(({ settled }) => settled?.status)

test("[PE3] a call that must be asked for is not started, and those behind it stay pending; the turn settles as asking", () => {
  const session = open()
  calls(call("look"), call("push"), call("look"), call("write"))
  stage.prompt(session, "Go")
  expect(stage.settle(session)).toMatchObject({ kind: "asking" })
  expect(started()).toEqual(["start look"])
  expect(outcomes(session).map(([name, state]) => [name, state])).toEqual([
    ["look", "done"],
    ["push", "pending"],
    ["look", "pending"],
    ["write", "pending"],
  ])
  expect(turns(session)).toEqual(["asking"])
  expect(stage.status(session)).toMatchObject({ state: "asking", asks: 1, owing: false })
  expect(stage.ask((_, store) => store.lease(session))).toBeNull()
  expect(asks()).toMatchObject([
    {
      session,
      kind: "permission",
      call: { name: "push", input: {} },
      resources: [{ action: "push", resource: "" }],
      rule: "ask push",
      agent: "build",
    },
  ])
  stage.restart()
  expect(asks(session)).toHaveLength(1)
  expect(stage.status(session)).toMatchObject({ state: "asking" })
})

test("[PE5] an allowed call starts, those behind it follow in order, and the next turn goes on", () => {
  const session = open()
  calls(call("push"), call("look"), call("write"))
  stage.converse(session, "Go")
  expect(started()).toEqual([])
  answer(session, { decision: "allow" })
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.journal.filter((line) => /^(start|end)/.test(line))).toEqual([
    "start push",
    "end push",
    "start look",
    "end look",
    "start write",
    "end write",
  ])
  expect(turns(session)).toEqual(["asking", "done"])
  expect(new Set(stage.verdicts(session))).toEqual(new Set(["same"]))
  expect(stage.sent[1]?.lines.join("\n")).toContain("push done")
})

test("[PE5] a declined call settles with the correction as its text, and one is answered once", () => {
  const session = open()
  calls(call("push"))
  stage.converse(session, "Go")
  const [ask] = asks(session)
  answer(session, { decision: "decline", text: "Use a branch." })
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(outcomes(session)).toEqual([["push", "declined", expect.stringContaining("Use a branch.")]])
  expect(started()).toEqual([])
  const again = stage.failure((runtime) => runtime.answer(ask?.id ?? "", { decision: "allow" }))
  expect(again).toMatchObject({ _tag: "AskNotOpen" })
})

test("[PE5] each answer frees what it can while others are open", () => {
  const session = open({
    tools: [
      journalled("peek", true),
      workTool((line) => stage.journal.push(line.replace(/ call_.*/, "")), { name: "spy", readOnly: true }),
    ],
    rules: { peek: "ask", spy: "ask" },
  })
  calls(call("peek"), call("spy"))
  stage.converse(session, "Go")
  expect(asks(session)).toHaveLength(2)
  answer(session, { decision: "allow" }, 1)
  expect(stage.settle(session)).toMatchObject({ kind: "asking" })
  expect(started()).toEqual(["start spy"])
  expect(stage.sent).toHaveLength(1)
  answer(session, { decision: "allow" })
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(started()).toEqual(["start spy", "start peek"])
  expect(turns(session)).toEqual(["asking", "done"])
})

test("[PE5] an answer that comes while the turn is at work frees the call in the same turn", () => {
  const session = open()
  calls(call("look"), call("push"))
  stage.prompt(session, "Go")
  stage.until(() => asks(session).length > 0)
  answer(session, { decision: "allow" })
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(started()).toEqual(["start look", "start push"])
  expect(turns(session)).toEqual(["continue", "done"])
})

test("[PE5] an allowed call is judged again, and a rule that denies by then stands", () => {
  const rules: Record<string, "ask" | "deny" | "allow"> = { push: "ask" }
  const session = open({ rules })
  calls(call("push", { target: "main" }))
  stage.converse(session, "Go")
  rules["push"] = "deny"
  answer(session, { decision: "allow" })
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(started()).toEqual([])
  expect(outcomes(session)[0]).toEqual(["push", "declined", "The rule deny push refuses it."])
})

test("[PE1] what is allowed for the Session is not asked again, also after a restart", () => {
  const session = open()
  calls(call("push", { target: "main" }))
  stage.converse(session, "Go")
  answer(session, { decision: "allow", scope: "session" })
  stage.settle(session)
  stage.restart()
  calls(call("push", { target: "main" }), call("push", { target: "other" }))
  expect(stage.converse(session, "Again")).toMatchObject({ kind: "asking" })
  expect(started()).toEqual(["start push", "start push"])
  expect(asks(session)).toMatchObject([{ resources: [{ resource: "other" }] }])
})

test("[PE3 DR4] asks survive a kill at every moment, and an answered call starts at most once", () => {
  const session = open()
  calls(call("push"), call("write"))
  stage.converse(session, "Go")
  stage.kill()
  stage.boot()
  expect(stage.status(session)).toMatchObject({ state: "asking", asks: 1 })
  expect(outcomes(session).map(([, state]) => state)).toEqual(["pending", "pending"])
  answer(session, { decision: "allow" })
  stage.until(() => started().length > 0)
  stage.kill()
  stage.boot()
  expect(stage.settle(session)).toMatchObject({ kind: "done" })
  expect(outcomes(session)).toEqual([
    ["push", "interrupted", expect.stringContaining("Outcome unknown")],
    ["write", "interrupted", "[interrupted before it started]"],
  ])
  expect(started()).toEqual(["start push"])
})

test("[DR4 PE3] a turn that is killed with an ask open settles as asking", () => {
  const session = open()
  calls(call("look"), call("push"))
  stage.prompt(session, "Go")
  stage.until(() => asks(session).length > 0)
  stage.kill()
  stage.boot()
  expect(stage.status(session)).toMatchObject({ state: "asking", asks: 1 })
  expect(turns(session)).toEqual(["asking"])
  answer(session, { decision: "allow" })
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(started()).toEqual(["start look", "start push"])
})

test("[PE4] where nobody can answer, the Session's own word does, at once and on record", () => {
  const told = (onAsk: OnAsk) => {
    const session = open({}, onAsk)
    calls(call("push"), call("question"))
    const end = stage.converse(session, "Go")
    const answers = stage.facts(session, "ask.answered").map(({ decision, by }) => [decision, by])
    const result = {
      end: end?.kind,
      outcomes: outcomes(session).map(([, state]) => state),
      answers,
      started: started(),
    }
    stage.close()
    return result
  }
  const byRule = (decision: string) => [
    [decision, "on-ask"],
    ["answer", "on-ask"],
  ]
  expect(told("deny")).toEqual({
    end: "done",
    outcomes: ["declined", "done"],
    answers: byRule("decline"),
    started: [],
  })
  expect(told("allow")).toEqual({
    end: "done",
    outcomes: ["done", "done"],
    answers: byRule("allow"),
    started: ["start push"],
  })
  expect(told("fail")).toEqual({
    end: "failed",
    outcomes: ["declined", "done"],
    answers: byRule("decline"),
    started: [],
  })
  open()
})

test("[PE4] a rule that denies is not overruled by `allow`", () => {
  const session = open({ rules: { push: "deny" } }, "allow")
  calls(call("push"))
  expect(stage.converse(session, "Go")).toEqual({ kind: "done" })
  expect(started()).toEqual([])
  expect(stage.facts(session, "ask.raised")).toEqual([])
  expect(outcomes(session)).toEqual([["push", "declined", "The rule deny push refuses it."]])
})

test("[PE1] a question waits for its answer, which is what the model reads", () => {
  const session = open({ rules: {} })
  calls(call("question"))
  expect(stage.converse(session, "Go")).toMatchObject({ kind: "asking" })
  expect(asks(session)).toMatchObject([
    { kind: "question", question: "Which one?", options: ["this", "that"] },
  ])
  expect(
    stage.failure((runtime) => runtime.answer(asks(session)[0]?.id ?? "", { decision: "allow" })),
  ).toMatchObject({ _tag: "AnswerRefused" })
  answer(session, { decision: "answer", text: "that" })
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(outcomes(session)).toEqual([["question", "done", "that"]])
})

test("[PE6] a prompt waits while a Session asks; sent as the answer it declines all and is read next", () => {
  const session = open()
  calls(call("push"))
  stage.converse(session, "Go")
  expect(stage.converse(session, "And this", { delivery: "queue" })).toMatchObject({ kind: "asking" })
  expect(stage.status(session)).toMatchObject({ state: "asking", pending: 1 })
  expect(stage.sent).toHaveLength(1)
  expect(stage.converse(session, "No, stop that", { declines: true })).toEqual({ kind: "done" })
  expect(outcomes(session)).toEqual([["push", "declined", expect.stringContaining("declined")]])
  const texts = stage.messages(session).flatMap((message) => (message.kind === "user" ? [message.text] : []))
  expect(texts).toEqual(["Go", "No, stop that", "And this"])
  expect(started()).toEqual([])
})

test("[PE6] an interrupt withdraws what is asked and settles the calls; nothing starts any more", () => {
  const session = open()
  calls(call("push"), call("write"))
  stage.converse(session, "Go")
  stage.ask((runtime) => runtime.interrupt(session))
  expect(asks(session)).toEqual([])
  expect(stage.status(session)).toMatchObject({ state: "interrupted", asks: 0 })
  expect(stage.converse(session, "Else")).toEqual({ kind: "done" })
  expect(outcomes(session).map(([name, state]) => [name, state])).toEqual([
    ["push", "interrupted"],
    ["write", "interrupted"],
  ])
  expect(started()).toEqual([])
})

test("[PE6] an interrupt while the turn is at work settles each asked call once", () => {
  const session = open()
  calls(call("look"), call("push"), call("write"))
  stage.prompt(session, "Go")
  stage.until(() => outcomes(session).length === 3)
  stage.ask((runtime) => runtime.interrupt(session))
  expect(stage.settle(session)).toMatchObject({ kind: "interrupted" })
  expect(outcomes(session).map(([, state]) => state)).toEqual(["interrupted", "interrupted", "interrupted"])
  expect(stage.facts(session, "call.settled")).toHaveLength(3)
  expect(stage.status(session)).toMatchObject({ asks: 0 })
})

test("[DR5 PE5] an answer that nobody acted on waits for a resume, or is acted on at a restart by policy", () => {
  for (const policy of ["settle", "continue"] as const) {
    const session = open({}, "wait", policy)
    calls(call("push"))
    stage.converse(session, "Go")
    const [ask] = asks(session)
    const fact = {
      type: "ask.answered",
      ask: ask?.id as never,
      decision: "allow",
      scope: "once",
      text: null,
      by: "person",
    } as const
    stage.ask((_, store) => store.commit({ kind: "contribute", session, time: 1, fact }))
    expect(stage.status(session)).toMatchObject({
      state: "interrupted",
      owing: true,
      reason: { code: "answered" },
    })
    stage.restart()
    if (policy === "settle") expect(started()).toEqual([])
    expect(policy === "settle" ? stage.resume(session) : stage.settle(session)).toEqual({ kind: "done" })
    expect(started()).toEqual(["start push"])
    stage.close()
  }
  open()
})
