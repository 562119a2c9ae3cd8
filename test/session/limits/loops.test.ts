/** Calls that go round in a circle end the drain (DR8). */
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { Tool } from "@holdfast/core/tools/index"
import type { Reply } from "@holdfast/provider-sim"
import type { SessionId } from "@holdfast/schema/id"
import { Stage, type StageOptions } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
const open = (options: StageOptions = {}) => (stage = new Stage({ tools: tools(), ...options }))
afterEach(() => stage.close())

const note = (line: string) => void stage.journal.push(line)
const tools = (): readonly Tool[] => [workTool(note), workTool(note, { name: "look", readOnly: true })]
const call = (...names: readonly string[]): Reply => ({
  blocks: names.map((name) => ({ type: "tool_use" as const, name, input: {} })),
})
const reply = (count: number, ...names: readonly string[]) =>
  stage.replies.push(...Array.from({ length: count }, () => call(...names)))
const started = () => stage.journal.filter((line) => line.startsWith("start")).length
const repeated = { kind: "failed", reason: { code: "calls_repeated" } }

test("[DR8] ends the drain at the fifth call with the same input and result, and says what to do", () => {
  open()
  const session = stage.create()
  reply(9, "work")
  const end = stage.converse(session, "Loop")
  expect(end).toEqual({
    kind: "failed",
    reason: {
      code: "calls_repeated",
      message:
        "The model called work 5 times in a row with the same input and the same result. The work was stopped. Send a prompt that says what to do instead, or resume to let it try once more.",
    },
  })
  expect([started(), stage.sent.length]).toEqual([5, 5])
  expect(stage.turns(session).at(-1)?.settled).toMatchObject({
    status: "failed",
    reason: end && "reason" in end ? end.reason : null,
  })
  expect(stage.status(session)).toMatchObject({
    state: "failed",
    owing: true,
    reason: { code: "calls_repeated" },
  })
})

test("[DR8] ends the drain after four rounds of two calls", () => {
  open()
  const session = stage.create()
  for (let round = 0; round < 9; round++) stage.replies.push(call("work"), call("look"))
  const end = stage.converse(session, "Loop")
  expect(end).toMatchObject(repeated)
  expect(end && "reason" in end ? end.reason.message : "").toContain("called work and look in turn 4 times")
  expect(started()).toBe(8)
})

test("[DR8] sees rounds that one answer asks for together", () => {
  open()
  const session = stage.create()
  reply(9, "look", "look", "work")
  expect(stage.converse(session, "No loop of two")).toEqual({ kind: "done" })
  stage.replies.length = 0
  reply(9, "look", "work")
  expect(stage.converse(session, "Loop")).toMatchObject(repeated)
})

test("[DR8] begins anew with each prompt, and lets a resume try once more", () => {
  open()
  const session = stage.create()
  reply(4, "work")
  expect(stage.converse(session, "First")).toEqual({ kind: "done" })
  reply(5, "work")
  expect(stage.converse(session, "Second")).toMatchObject(repeated)
  expect(started()).toBe(9)
  reply(2, "work")
  expect(stage.resume(session)).toMatchObject(repeated)
  expect(started()).toBe(10)
  stage.replies.length = 0
  expect(stage.resume(session)).toEqual({ kind: "done" })
})

test.each([
  ["a loop", {}, 5],
  ["a spent allowance", { turnsMax: 3 }, 3],
] as const)("[DR7 DR8] goes on after %s where somebody has spoken meanwhile", (_, options, last) => {
  open({ ...options, tools: [workTool(note, { ms: 1_000 })] })
  const session = stage.create()
  reply(last, "work")
  stage.prompt(session, "Loop")
  stage.until(() => started() === last)
  stage.prompt(session, "Stop that")
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.sent.at(-1)?.lines.at(-1)).toBe("user: Stop that")
})

test("[DR8 DR11] a queued prompt waits where a loop ended the drain", () => {
  open({ tools: [workTool(note, { ms: 1_000 })] })
  const session = stage.create()
  reply(9, "work")
  stage.prompt(session, "Loop")
  stage.until(() => started() === 5)
  stage.prompt(session, "Later", { delivery: "queue" })
  expect(stage.settle(session)).toMatchObject(repeated)
  expect(stage.status(session)).toMatchObject({ state: "failed", pending: 1 })
})

test("[DR8] does not count looks at a job that goes on", () => {
  let looks = 0
  const poll: Tool = {
    ...workTool(note, { name: "poll" }),
    run: () => Effect.sync(() => ({ text: "busy", stillRunning: ++looks <= 20 })),
  }
  open({ tools: [poll] })
  const session = stage.create()
  reply(20, "poll")
  expect(stage.converse(session, "Wait for it")).toEqual({ kind: "done" })
  reply(9, "poll")
  expect(stage.converse(session, "And again")).toMatchObject(repeated)
  expect(looks).toBe(25)
})

const loopAcross = (between: (session: SessionId) => SessionId): number => {
  const first = stage.create()
  reply(3, "work")
  stage.prompt(first, "Loop")
  stage.until(() => started() === 3)
  const session = between(first)
  reply(9, "work")
  expect(stage.resume(session)).toMatchObject(repeated)
  return started()
}

test.each([
  ["a restart in good order", (session: SessionId) => (stage.restart(), session)],
  ["a kill", (session: SessionId) => (stage.kill(), stage.boot(), session)],
] as const)("[DR8] remembers calls across %s", (_, between) => {
  open({ tools: [workTool(note, { ms: 1_000 })] })
  expect(loopAcross(between)).toBeGreaterThanOrEqual(6)
  expect(started()).toBeLessThanOrEqual(8)
})

test("[DR8] a fork remembers the calls that it copied", () => {
  open()
  const source = stage.create()
  reply(5, "work")
  stage.converse(source, "Loop")
  const fork = stage.ask((runtime) => runtime.fork({ sessionID: source })).id
  reply(2, "work")
  expect(stage.resume(fork)).toMatchObject(repeated)
  expect(started()).toBe(6)
})
