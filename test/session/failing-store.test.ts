import { afterEach, expect, test } from "vitest"
import type { Command } from "@holdfast/store/port"
import { Stage } from "./harness.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const open = () => {
  stage = new Stage({ tools: [workTool((line) => stage.journal.push(line), { ms: 10 })] })
  return stage.create()
}
afterEach(() => stage.close())

const writes = (type: string) => (command: Command) =>
  command.kind === "append" && command.facts.some((fact) => fact.type === type)

test("[FA1] sends nothing when the store cannot take the boundary", () => {
  const session = open()
  stage.refuses = writes("turn.started")
  expect(stage.converse(session, "Hello")).toMatchObject({
    kind: "failed",
    reason: { code: "store_unavailable" },
  })
  expect(stage.sent).toHaveLength(0)
  stage.refuses = () => false
  expect(stage.status(session).pending).toBe(1)
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(stage.sent).toHaveLength(1)
})

test("[FA1] sends nothing when no lease can be taken", () => {
  const session = open()
  stage.prompt(session, "Hello", { resume: false })
  stage.refuses = (command) => command.kind === "acquire"
  expect(stage.resume(session)).toMatchObject({ kind: "failed", reason: { code: "store_unavailable" } })
  expect(stage.sent).toHaveLength(0)
})

test("[DR1 FA1] gives the lease back once the store answers again", () => {
  const session = open()
  stage.refuses = (command) => command.kind === "append" || command.kind === "release"
  expect(stage.converse(session, "Hello")).toMatchObject({ kind: "failed" })
  const held = () => stage.ask((_, store) => store.lease(session)) !== null
  stage.pass(5_000)
  expect(held()).toBe(true)
  stage.refuses = () => false
  stage.pass(5_000)
  expect(held()).toBe(false)
})

test("[FA1 TU2] runs no call that the store did not record, and settles the turn at the next wake", () => {
  const session = open()
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: {} }] })
  stage.refuses = writes("call.started")
  expect(stage.converse(session, "Hello")).toMatchObject({
    kind: "failed",
    reason: { code: "store_unavailable" },
  })
  expect(stage.journal.some((line) => line.startsWith("start"))).toBe(false)
  stage.refuses = () => false
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(stage.turns(session).map(({ settled }) => settled?.status)).toEqual(["interrupted", "done"])
})

test("[FA1 DR3] stops the turn here when the interrupt could not be stored, and says so", () => {
  const session = open()
  stage.replies.push({ blocks: [], fault: { kind: "rate-limited", retryAfter: 1 } })
  stage.prompt(session, "Hello")
  stage.until(() => stage.sent.length === 1)
  let passed = false
  stage.refuses = (command) => {
    if (command.kind !== "interrupt") return false
    // The wait for the next attempt ends while the interrupt is on its way to the store.
    passed = true
    return true
  }
  expect(stage.failure((runtime) => runtime.interrupt(session))).toMatchObject({ _tag: "StoreFailure" })
  expect(passed).toBe(true)
  expect(stage.settle(session)).toMatchObject({ kind: "interrupted" })
  expect(stage.sent).toHaveLength(1)
})

test("[EP2] blocks visibly while the directory is gone, and keeps the prompt", () => {
  const session = open()
  stage.locationThere = false
  expect(stage.converse(session, "Hello")).toMatchObject({
    kind: "blocked",
    reason: { code: "location_missing" },
  })
  expect(stage.status(session)).toMatchObject({ state: "blocked", pending: 1 })
  expect(stage.status(session).reason?.message).toContain("/sim/project")
  expect(stage.sent).toHaveLength(0)
  stage.locationThere = true
  expect(stage.resume(session)).toEqual({ kind: "done" })
})

test("[ST3] tells of a created Session though it cannot be read back, and fails a read by type", () => {
  open()
  stage.unreadable = true
  const created = stage.ask((runtime) => runtime.create({ directory: "/sim/project", title: "One" }))
  expect(stage.failure((runtime) => runtime.get(created.id))).toMatchObject({
    _tag: "StoreFailure",
    code: "unavailable",
  })
  stage.unreadable = false
  expect(stage.ask((runtime) => runtime.get(created.id))).toEqual(created)
})
