import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { FactSource } from "./fact-source.ts"
import { Stage, type StageOptions } from "./harness.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const open = (options: StageOptions = {}) => (stage = new Stage(options))
afterEach(() => stage.close())

const slowWork = (ms: number) => [workTool((line) => stage.journal.push(line), { ms })]
const callWork = { blocks: [{ type: "tool_use" as const, name: "work", input: {} }] }
const working = () => stage.journal.some((line) => line.startsWith("start work"))

test("[DR1] runs one drain a Session, however many processes share the store", () => {
  open({ tools: slowWork(5_000) })
  const session = stage.create()
  const first = stage.current
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(working)
  const second = stage.boot()
  stage.ask((runtime) => runtime.prompt({ sessionID: session, text: "More" }), second)
  expect(stage.ask((runtime) => Effect.sync(runtime.active), second)).toEqual([])
  stage.pass(3_000)
  expect(stage.sent).toHaveLength(1)
  expect(first.runtime?.active()).toEqual([session])
  stage.ask((runtime) => runtime.settled(session), first)
  stage.ask((runtime) => runtime.settled(session), second)
  expect(stage.sent.map(({ lines }) => lines.at(-1))).toEqual(["user: Hello", "user: More"])
  first.process.dead = true
})

test("[DR1] takes over a lease that no longer beats, though its process lives", () => {
  open({ tools: slowWork(5_000) })
  const session = stage.create()
  const first = stage.current
  const { process } = stage.boot()
  const owner = { boot: "sim", space: "sim", pid: 9, start: "0", instance: process.name }
  stage.ask((_, store) => store.commit({ kind: "acquire", session, owner, dead: null }), first)
  const beforeMs = stage.world.nowMs
  stage.ask((runtime) => runtime.prompt({ sessionID: session, text: "Hello" }), first)
  expect(stage.ask((runtime) => runtime.settled(session), first)).toEqual({ kind: "done" })
  expect(stage.world.nowMs - beforeMs).toBeGreaterThanOrEqual(10_000)
  expect(stage.sent).toHaveLength(1)
})

test("[DR1] drains different Sessions at the same time", () => {
  open({ tools: slowWork(5_000) })
  const sessions = [stage.create(), stage.create()]
  stage.replies.push(callWork, callWork)
  for (const session of sessions) stage.prompt(session, "Hello")
  stage.until(() => stage.journal.filter((line) => line.startsWith("start work")).length === 2)
  expect(stage.journal).not.toContain("end work")
  for (const session of sessions) stage.settle(session)
  expect(stage.sent).toHaveLength(4)
})

test("[DR2] speaks to a newly chosen model from the next turn on", () => {
  open({ tools: slowWork(5_000) })
  const session = stage.create()
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(working)
  const model = { provider: "sim", model: "other" }
  const time = stage.world.nowMs
  stage.ask((_, store) =>
    store.commit({ kind: "contribute", session, time, fact: { type: "session.updated", model } }),
  )
  expect(stage.journal).not.toContain("end work")
  stage.settle(session)
  expect(stage.sent.map((request) => request.model)).toEqual(["script", "other"])
  const [first, second] = stage.turns(session)
  expect(first?.settled).toMatchObject({ status: "continue" })
  expect(second?.started.model).toEqual(model)
})

test("[DR6] lists the drains of this process while they run", () => {
  open({ tools: slowWork(5_000) })
  const session = stage.create()
  stage.create()
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(working)
  const first = stage.current
  expect(first.runtime?.active()).toEqual([session])
  const second = stage.boot()
  stage.settle(session)
  expect(second.runtime?.active()).toEqual([])
  stage.ask((runtime) => runtime.settled(session), first)
  expect(first.runtime?.active()).toEqual([])
  first.process.dead = true
})

test("[DR7] ends the turn with a typed reason at the allowance, which new input resets once", () => {
  open({ tools: slowWork(0), turnsMax: 3 })
  const session = stage.create()
  stage.replies.push(callWork, callWork, callWork, callWork, callWork)
  const end = stage.converse(session, "Loop")
  expect(end).toMatchObject({ kind: "failed", reason: { code: "allowance_spent" } })
  expect(stage.sent).toHaveLength(3)
  stage.prompt(session, "Go on", { resume: false })
  stage.prompt(session, "And on", { resume: false })
  stage.resume(session)
  const used = stage.turns(session).map(({ started }) => started.allowanceUsed)
  expect(used).toEqual([1, 2, 3, 1, 2, 3])
})

test("[DR10] leaves the same transcript whether one process or several produced it", () => {
  const facts = () => [new FactSource("sim/fact", "one")]
  const transcripts = [false, true].map((restarts) => {
    open({ sources: facts(), tools: slowWork(10) })
    const session = stage.create()
    for (const text of ["First", "Second", "Third"]) {
      stage.replies.push(callWork)
      stage.converse(session, text)
      if (text === "First") (stage.sources[0] as FactSource).value = "two"
      if (restarts) stage.restart()
    }
    const said = {
      messages: stage.messages(session).map(withoutIds),
      requests: stage.sent.map(({ raw }) => bare(raw)),
    }
    if (!restarts) stage.close()
    return said
  })
  expect(transcripts[0]?.messages).toHaveLength(10)
  expect(transcripts[1]).toEqual(transcripts[0])
})

test("[DR10] records nothing about drains in the log", () => {
  open()
  const session: SessionId = stage.create()
  stage.converse(session, "First")
  stage.restart()
  stage.converse(session, "Second")
  // What kept the lease is cancelled as the turn settles: the drain finds nothing and gives it back.
  const { prompt } = stage.prompt(session, "Never", { resume: false, delivery: "queue" })
  stage.afterCommit = (command) => {
    const settles = command.kind === "append" && command.facts.some(({ type }) => type === "turn.settled")
    const cancel = { kind: "cancel-prompt", session, time: stage.world.nowMs, prompt } as const
    return settles ? Effect.ignore(stage.current.store?.commit(cancel) ?? Effect.void) : Effect.void
  }
  stage.converse(session, "Third")
  expect(stage.events(session).map(({ fact }) => fact.type)).toEqual([
    "session.created",
    "prompt.admitted",
    "epoch.started",
    "prompt.promoted",
    "pass.applied",
    "turn.started",
    "part.recorded",
    "turn.settled",
    "prompt.admitted",
    "prompt.promoted",
    "turn.started",
    "part.recorded",
    "turn.settled",
    "prompt.admitted",
    "prompt.admitted",
    "prompt.promoted",
    "turn.started",
    "part.recorded",
    "turn.settled",
    "prompt.cancelled",
  ])
})

const idPattern = /\b(?:msg|trn|call|prm|toolu)_[0-9a-z]+/g
const bare = (raw: string) => raw.replaceAll(idPattern, "id")
const withoutIds = (message: Message) => bare(JSON.stringify(message))
