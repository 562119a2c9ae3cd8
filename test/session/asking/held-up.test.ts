/** Calls that were allowed to an agent which is gone: nothing of them can be judged or run, and none is lost (PE5, DR2). */
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { GivenAnswer } from "@holdfast/core/caller/asks"
import type { SessionId } from "@holdfast/schema/id"
import type { StageAgent } from "../../stage/ports.ts"
import { Stage } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
let agents: Record<string, StageAgent>
const note = (line: string) => void stage.journal.push(line.replace(/ call_.*/, ""))

function open(): SessionId {
  agents = { build: {}, other: {} }
  const tools = [workTool(note, { name: "push" }), workTool(note, { name: "look", readOnly: true })]
  stage = new Stage({ agents, tools, rules: { push: "ask" } })
  return stage.create()
}
afterEach(() => stage.close())

const call = (name: string, input: Record<string, string> = {}) =>
  ({ type: "tool_use", name, input }) as const
const calls = (...blocks: ReturnType<typeof call>[]) => stage.replies.push({ blocks })
const started = () => stage.journal.filter((line) => line.startsWith("start"))
const turns = (session: SessionId) => stage.turns(session).map(({ settled }) => settled?.status)
const answer = (given: GivenAnswer) => {
  const ask = stage.ask((runtime) => runtime.asks())[0]?.id ?? "ask_none"
  return stage.ask((runtime) => runtime.answer(ask, given))
}
const outcomes = (session: SessionId) =>
  stage
    .messages(session)
    .flatMap((message) => (message.kind === "assistant" ? message.parts : []))
    .flatMap(({ part }) =>
      part.type === "call" ? [[part.name, part.state, part.outcome?.output ?? null]] : [],
    )

test("[PE5 DR2] a call that was allowed while nothing can run keeps its answer, and starts once it can", () => {
  const session = open()
  calls(call("push"), call("look"))
  stage.converse(session, "Go")
  delete agents["build"]
  expect(stage.resume(session)).toMatchObject({ kind: "asking" })
  answer({ decision: "allow" })
  const reason = { code: "agent_not_found" }
  expect(stage.settle(session)).toMatchObject({ kind: "blocked", reason })
  stage.restart()
  expect(stage.status(session)).toMatchObject({ state: "blocked", reason, asks: 0, owing: true })
  expect(stage.resume(session)).toMatchObject({ kind: "blocked", reason })
  expect(outcomes(session).map(([name, state]) => [name, state])).toEqual([
    ["push", "pending"],
    ["look", "pending"],
  ])
  agents["build"] = {}
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(started()).toEqual(["start push", "start look"])
  expect(turns(session)).toEqual(["asking", "done"])
  expect(stage.facts(session, "ask.raised")).toHaveLength(1)
})

test("[DR2 PE5] what was allowed to an agent that is gone never starts under another, and the work goes on", () => {
  const session = open()
  calls(call("push"), call("look"), call("push", { target: "main" }))
  stage.converse(session, "Go")
  delete agents["build"]
  answer({ decision: "allow" })
  answer({ decision: "decline", text: "Use a branch." })
  expect(stage.settle(session)).toMatchObject({ kind: "blocked", reason: { code: "agent_not_found" } })
  stage.ask((runtime) => runtime.switchAgent(session, "other"))
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(outcomes(session)).toEqual([
    ["push", "interrupted", "[interrupted before it started]"],
    ["look", "interrupted", "[interrupted before it started]"],
    ["push", "declined", expect.stringContaining("Use a branch.")],
  ])
  expect(started()).toEqual([])
})

test("[PE6] an interrupt settles what was allowed, also where nothing can run", () => {
  const session = open()
  calls(call("push"), call("look"))
  stage.converse(session, "Go")
  delete agents["build"]
  const { runtime } = stage.current
  stage.afterCommit = ({ kind }) =>
    kind === "acquire" ? Effect.orDie(runtime!.interrupt(session)) : Effect.void
  answer({ decision: "allow" })
  expect(stage.settle(session)).toMatchObject({ kind: "interrupted" })
  expect(outcomes(session).map(([, state]) => state)).toEqual(["interrupted", "interrupted"])
  expect(started()).toEqual([])
})
