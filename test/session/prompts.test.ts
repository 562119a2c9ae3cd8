import { afterEach, expect, test } from "vitest"
import { Stage, type StageOptions } from "./harness.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const open = (options: StageOptions = {}) => (stage = new Stage(options))
afterEach(() => stage.close())

test("[PR1] keeps a prompt whose process is killed right after the receipt", () => {
  open()
  const session = stage.create()
  const receipt = stage.prompt(session, "Hello", { id: "p1", resume: false })
  expect(receipt).toEqual({ session, prompt: "p1", admittedSeq: 2, delivery: "steer", state: "pending" })
  stage.kill()
  stage.boot()
  expect(stage.ask((runtime) => runtime.inbox(session)).map(({ id, text }) => [id, text])).toEqual([
    ["p1", "Hello"],
  ])
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(stage.sent.at(-1)?.lines).toEqual(["user: Hello"])
})

test("[PR1] gives no receipt for a prompt that the store did not take", () => {
  open()
  const session = stage.create()
  stage.refuses = (command) => command.kind === "admit"
  const failure = stage.failure((runtime) => runtime.prompt({ sessionID: session, text: "Hello", id: "p1" }))
  expect(failure).toMatchObject({ _tag: "StoreFailure", code: "unavailable" })
  stage.refuses = () => false
  expect(stage.status(session).pending).toBe(0)
})

test("[PR2] answers the same id with the same receipt and the present state of the input", () => {
  open()
  const session = stage.create()
  const send = () => stage.prompt(session, "Hello", { id: "p1", resume: false })
  const first = send()
  expect(send()).toEqual(first)
  expect(stage.facts(session, "prompt.admitted")).toHaveLength(1)
  stage.resume(session)
  expect(send()).toEqual({ ...first, state: "promoted" })
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.sent).toHaveLength(1)

  const second = stage.prompt(session, "Other", { id: "p2", resume: false })
  stage.ask((runtime) => runtime.cancel(session, "p2"))
  expect(stage.prompt(session, "Other", { id: "p2" })).toEqual({ ...second, state: "cancelled" })
  expect(stage.sent).toHaveLength(1)
})

test("[PR2] compares a repeated prompt with the text first admitted, not with an edit", () => {
  open()
  const session = stage.create()
  const first = stage.prompt(session, "Hello", { id: "p1", resume: false })
  stage.ask((runtime) => runtime.edit(session, "p1", "Good day"))
  expect(stage.prompt(session, "Hello", { id: "p1", resume: false })).toEqual(first)
  const failure = stage.failure((runtime) =>
    runtime.prompt({ sessionID: session, text: "Good day", id: "p1" }),
  )
  expect(failure).toMatchObject({ _tag: "PromptConflict", prompt: "p1" })
})

test("[PR2] refuses an id again with another text, Session or delivery", () => {
  open()
  const session = stage.create()
  const elsewhere = stage.create()
  stage.prompt(session, "Hello", { id: "p1", resume: false })
  const conflicts = [
    { sessionID: session, text: "Hello!", id: "p1" },
    { sessionID: elsewhere, text: "Hello", id: "p1" },
    { sessionID: session, text: "Hello", id: "p1", delivery: "queue" as const },
  ].map((input) => stage.failure((runtime) => runtime.prompt(input)))
  expect(conflicts.map((failure) => failure._tag)).toEqual([
    "PromptConflict",
    "PromptConflict",
    "PromptConflict",
  ])
  expect(stage.status(elsewhere).pending).toBe(0)
})

test("[PR4] consumes the inbox entry and appends the message in one step, whichever write dies", () => {
  for (const moment of ["before", "after"] as const) {
    for (let write = 1; write <= 6; write++) {
      open()
      const session = stage.create()
      stage.prompt(session, "Hello", { id: "p1", resume: false })
      stage.restart({ death: { write, moment } })
      if (!stage.current.process.dead) {
        const asked = stage.begin((runtime) => runtime.resume(session))
        stage.until(() => stage.current.process.dead || (asked() !== null && stage.sent.length > 0))
        stage.kill()
      }
      stage.boot()
      const messages = stage.messages(session).filter((message) => message.kind === "user")
      const pending = stage.status(session).pending
      expect(messages.length + pending, `${moment} write ${write}`).toBe(1)
      if (stage.status(session).owing || pending > 0) stage.resume(session)
      expect(stage.facts(session, "prompt.promoted")).toHaveLength(1)
      expect(stage.sent.at(-1)?.lines[0]).toBe("user: Hello")
      if (moment !== "after" || write !== 6) stage.close()
    }
  }
})

test("[PR5] admits only, without a wake, when resume is false", () => {
  open()
  const session = stage.create()
  stage.prompt(session, "Hello", { resume: false })
  stage.pass(60_000)
  expect(stage.sent).toHaveLength(0)
  expect(stage.status(session)).toMatchObject({ state: "idle", pending: 1 })
})

test("[PR5] coalesces the wakes of several prompts into one drain", () => {
  open({ tools: [workTool((line) => stage.journal.push(line), { ms: 1_000 })] })
  const session = stage.create()
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: {} }] })
  stage.prompt(session, "One")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  for (const text of ["Two", "Three", "Four"]) stage.prompt(session, text)
  stage.settle(session)
  expect(stage.sent).toHaveLength(2)
  expect(stage.journal.filter((line) => line === "acquire").length).toBeLessThanOrEqual(2)
})

test("[PR5] calls no provider on a wake that finds nothing to promote", () => {
  open()
  const session = stage.create()
  stage.replies.push({ blocks: [{ type: "text", text: "x".repeat(20) }], chunkChars: 1, delayMs: 500 })
  stage.prompt(session, "Hello")
  stage.until(() => stage.sent.length === 1)
  stage.prompt(session, "And then?", { id: "p2", delivery: "queue" })
  stage.ask((runtime) => runtime.cancel(session, "p2"))
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.sent).toHaveLength(1)
  expect(stage.turns(session)).toHaveLength(1)
})

test("[PR6] promotes in admission order however the clocks of the writers stand", () => {
  open()
  const session = stage.create()
  const skews = [600_000, -600_000, 0]
  for (const [at, skewMs] of skews.entries()) {
    stage.restart({ skewMs })
    stage.prompt(session, `Prompt ${at}`, { resume: false })
  }
  const times = stage
    .events(session)
    .flatMap(({ fact, time }) => (fact.type === "prompt.admitted" ? [time] : []))
  expect([...times].sort((a, b) => a - b)).not.toEqual(times)
  stage.resume(session)
  expect(stage.sent[0]?.lines).toEqual(["user: Prompt 0", "user: Prompt 1", "user: Prompt 2"])
})

test("[PR7] keeps what the runtime says out of user messages and apart from them in a request", () => {
  open()
  const session = stage.create()
  const words = "x".repeat(100)
  stage.replies.push({
    blocks: [{ type: "text", text: words }],
    chunkChars: 10,
    delayMs: 600,
    fault: { kind: "cut", afterDeltas: 4 },
  })
  stage.converse(session, "Hello")
  const users = stage.messages(session).filter((message) => message.kind === "user")
  expect(users.map((message) => message.kind === "user" && [message.prompt !== null, message.text])).toEqual([
    [true, "Hello"],
  ])
  const notices = stage.sent[1]?.lines.filter((line) => line.includes("cut off")) ?? []
  expect(notices).toHaveLength(1)
  expect(notices[0]).toMatch(/^user: <notice from="runtime">/)
})
