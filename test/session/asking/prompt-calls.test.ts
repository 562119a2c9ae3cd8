/** Calls that a prompt brings with it: made before a model is asked, and like any other. Files that are read at admission: prompt-contents.test.ts. */
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { SessionId } from "@holdfast/schema/id"
import type { PromptCall } from "@holdfast/schema/prompt"
import { Stage, type StageOptions } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
afterEach(() => stage.close())

function open(options: StageOptions = {}): SessionId {
  const journalled = (name: string, readOnly: boolean) =>
    workTool((line) => stage.journal.push(line.replace(/ call_.*/, "")), {
      name,
      readOnly,
      ms: 1_000,
      text: `${name} done`,
    })
  stage = new Stage({ tools: [journalled("read", true), journalled("bash", false)], ...options })
  return stage.create("settle", "wait")
}

const calls: readonly PromptCall[] = [
  { tool: "read", argument: "src/a.ts" },
  { tool: "bash", argument: "git diff" },
]
const send = (session: SessionId, given: readonly PromptCall[] = calls) =>
  stage.ask((runtime) => runtime.prompt({ sessionID: session, text: "Look.", calls: given }))
const started = () => stage.journal.filter((line) => line.startsWith("start"))
const made = (session: SessionId) =>
  stage
    .messages(session)
    .flatMap((message) =>
      message.kind === "assistant"
        ? message.parts.flatMap(({ part }) =>
            part.type === "call" ? [[part.name, part.input, part.outcome?.output]] : [],
          )
        : [],
    )

test("[TL6 TU2] the calls of a prompt are made once, before a model is asked, and their results are in its request", () => {
  const session = open()
  send(session)
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(made(session)).toEqual([
    ["read", { path: "src/a.ts" }, "read done"],
    ["bash", { command: "git diff" }, "bash done"],
  ])
  expect(stage.sent).toHaveLength(1)
  expect(stage.sent[0]?.lines.join("\n")).toMatch(/Look\.[^]*read done[^]*bash done/)
  const turns = stage.turns(session).map(({ settled }) => settled)
  expect(turns.map((settled) => [settled?.status, settled?.ledger.attempts.length])).toEqual([
    ["continue", 0],
    ["done", 1],
  ])
  expect(turns[0]?.ledger).toMatchObject({ cost: 0, usage: { input: 0, output: 0 } })
  expect(new Set(stage.verdicts(session))).toEqual(new Set(["same"]))
  stage.prompt(session, "And now?")
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(started()).toEqual(["start read", "start bash"])
})

test("[PE3 PE5] one that must be asked for waits for its answer, across a restart, and no model is asked meanwhile", () => {
  const session = open({ rules: { bash: "ask" } })
  send(session)
  expect(stage.settle(session)).toMatchObject({ kind: "asking" })
  expect(started()).toEqual(["start read"])
  stage.restart()
  const [ask] = stage.ask((runtime) => runtime.asks(session))
  expect(ask).toMatchObject({ kind: "permission", call: { name: "bash", input: { command: "git diff" } } })
  expect(stage.sent).toEqual([])
  stage.ask((runtime) => runtime.answer(ask?.id ?? "", { decision: "decline", text: "Not now." }))
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(started()).toEqual(["start read"])
  expect(stage.sent[0]?.lines.join("\n")).toContain("Not now.")
})

test("[PE1 TL6] a denied call is declined on record, and the model reads so", () => {
  const session = open({ rules: { bash: "deny", read: "deny" } })
  send(session)
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(started()).toEqual([])
  expect(made(session)).toHaveLength(2)
})

test("[DR4 PR8] a process that is killed while such a call runs leaves it interrupted; it is not made again", () => {
  const session = open()
  send(session, calls.slice(1))
  stage.until(() => started().length === 1)
  stage.kill()
  stage.boot()
  stage.ask((runtime) => runtime.resume(session))
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(started()).toEqual(["start bash"])
  expect(made(session)).toEqual([
    ["bash", { command: "git diff" }, expect.stringContaining("Outcome unknown")],
  ])
})

test("[DR4 PR8] a process that is killed before it made them leaves them due", () => {
  const session = open()
  // The commit that begins the turn is on disk, and its process has not come further.
  stage.afterCommit = (command) =>
    command.kind === "append" && command.facts.some(({ type }) => type === "turn.started")
      ? Effect.sleep(60_000)
      : Effect.void
  send(session)
  stage.until(() => stage.journal.some((line) => line.includes("turn.started")))
  stage.kill()
  stage.afterCommit = () => Effect.void
  stage.boot()
  stage.ask((runtime) => runtime.resume(session))
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(started()).toEqual(["start read", "start bash"])
})

test("[DR7] they use up none of the agent's turns", () => {
  const session = open({ turnsMax: 1 })
  send(session)
  expect(stage.settle(session)).toEqual({ kind: "done" })
})

test("[LL4] a model that thinks goes on from calls that it did not make", () => {
  const session = open({ thinking: true })
  send(session)
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.sent).toHaveLength(1)
})

test("[PR2] the same id with other calls is a conflict; an edit takes them away", () => {
  const session = open()
  const admit = (given: readonly PromptCall[]) =>
    stage.ask((runtime) =>
      runtime.prompt({ sessionID: session, text: "Look.", id: "mine", calls: given, resume: false }),
    )
  admit(calls)
  expect(admit(calls)).toMatchObject({ state: "pending" })
  expect(
    stage.failure((runtime) => runtime.prompt({ sessionID: session, text: "Look.", id: "mine" })),
  ).toMatchObject({
    _tag: "PromptConflict",
  })
  expect(stage.ask((runtime) => runtime.inbox(session))).toMatchObject([{ calls }])
  stage.ask((runtime) => runtime.edit(session, "mine", "Only words."))
  stage.prompt(session, "Go")
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect([started().includes("start bash"), made(session)]).toEqual([false, []])
})
