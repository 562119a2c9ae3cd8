import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { PromptId } from "@holdfast/schema/id"
import { Stage } from "./harness.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const open = (ms = 1_000) =>
  (stage = new Stage({ tools: [workTool((line) => stage.journal.push(line), { ms })] }))
afterEach(() => stage.close())

const callWork = { blocks: [{ type: "tool_use" as const, name: "work", input: {} }] }
const working = () => stage.journal.some((line) => line.startsWith("start work"))

test("[PR3] promotes steers inside a running drain at the next boundary, in admission order", () => {
  open()
  const session = stage.create()
  stage.replies.push(callWork)
  stage.prompt(session, "Begin")
  stage.until(working)
  for (const text of ["First", "Second", "Third"]) stage.prompt(session, text)
  stage.settle(session)
  expect(stage.sent.map(({ lines }) => lines)).toEqual([
    ["user: Begin"],
    ["user: Begin", "call: work", "result: worked", "user: First", "user: Second", "user: Third"],
  ])
})

test("[PR3] promotes queued input one at a time, first in first out, when nothing else is due", () => {
  open()
  const session = stage.create()
  stage.replies.push(callWork)
  stage.prompt(session, "Begin")
  stage.until(working)
  stage.prompt(session, "Queued 1", { delivery: "queue" })
  stage.prompt(session, "Queued 2", { delivery: "queue" })
  stage.settle(session)
  const users = stage.sent.map(({ lines }) => lines.filter((line) => line.startsWith("user:")).length)
  expect(users).toEqual([1, 1, 2, 3])
  expect(stage.sent.at(-1)?.lines).toEqual([
    "user: Begin",
    "call: work",
    "result: worked",
    "assistant: Answer 1.",
    "user: Queued 1",
    "assistant: Answer 2.",
    "user: Queued 2",
  ])
})

test("[PR3] lets a steer overtake what is queued", () => {
  open()
  const session = stage.create()
  stage.prompt(session, "Queued", { delivery: "queue", resume: false })
  stage.converse(session, "Steer")
  expect(stage.sent.map(({ lines }) => lines.at(-1))).toEqual(["user: Steer", "user: Queued"])
})

test("[PR3] lists pending input and takes edits and cancellations by id until it is promoted", () => {
  open()
  const session = stage.create()
  for (const id of ["a", "b", "c"]) stage.prompt(session, `Text ${id}`, { id, resume: false })
  const edited = stage.ask((runtime) => runtime.edit(session, "b", "Better b"))
  expect(edited).toMatchObject({ prompt: "b", state: "pending", admittedSeq: 3 })
  expect(stage.ask((runtime) => runtime.cancel(session, "c"))).toMatchObject({ state: "cancelled" })
  const listed = stage.ask((runtime) => runtime.inbox(session))
  expect(listed.map(({ id, text }) => [id, text])).toEqual([
    ["a", "Text a"],
    ["b", "Better b"],
  ])
  stage.resume(session)
  expect(stage.sent[0]?.lines).toEqual(["user: Text a", "user: Better b"])
  expect(stage.failure((runtime) => runtime.edit(session, "a", "late"))).toMatchObject({
    _tag: "PromptNotPending",
    state: "promoted",
  })
  expect(stage.failure((runtime) => runtime.cancel(session, "c"))).toMatchObject({
    _tag: "PromptNotPending",
    state: "cancelled",
  })
  expect(stage.failure((runtime) => runtime.cancel(session, "z"))).toMatchObject({ _tag: "PromptNotFound" })
})

test("[PR3 PR4] promotes the text in force when an edit or a cancel comes between plan and commit", () => {
  for (const kind of ["edit-prompt", "cancel-prompt"] as const) {
    open()
    const session = stage.create()
    stage.prompt(session, "Early text", { id: "p", resume: false })
    const prompt = "p" as PromptId
    let planned = 0
    stage.refuses = (command) => {
      if (command.kind !== "append" || command.promotes.length === 0 || planned++ > 0) return false
      const change = { session, time: stage.world.nowMs, prompt, text: "Late text" }
      Effect.runSync(stage.current.store?.commit({ ...change, kind }) ?? Effect.void)
      return false
    }
    stage.resume(session)
    const edited = kind === "edit-prompt"
    expect(planned).toBe(edited ? 2 : 1)
    expect(stage.sent.map(({ lines }) => lines)).toEqual(edited ? [["user: Late text"]] : [])
    expect(stage.facts(session, "prompt.promoted")).toHaveLength(edited ? 1 : 0)
    if (edited) stage.close()
  }
})
