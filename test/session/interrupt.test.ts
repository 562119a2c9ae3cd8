import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import { Stage, type StageOptions } from "./harness.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const open = (options: StageOptions = {}) => (stage = new Stage(options))
afterEach(() => stage.close())

const slowWork = (ms: number, readOnly = false) => [
  workTool((line) => stage.journal.push(line), { ms, readOnly }),
]
const callWork = { blocks: [{ type: "tool_use" as const, name: "work", input: {} }] }
const working = () => stage.journal.some((line) => line.startsWith("start work"))
const streaming = () => stage.live.some((event) => event.type === "text-delta")
const interrupt = (session: string) => stage.ask((runtime) => runtime.interrupt(session))

test("[DR3] fails on an unknown Session", () => {
  open()
  expect(stage.failure((runtime) => runtime.interrupt("ses_unknown"))).toMatchObject({
    _tag: "SessionNotFound",
  })
})

test("[DR3] changes nothing without a holder, however often it is asked", () => {
  open()
  const session = stage.create()
  stage.converse(session, "Hello")
  const before = stage.events(session)
  interrupt(session)
  interrupt(session)
  expect(stage.events(session)).toEqual(before)
  expect(stage.converse(session, "More")).toEqual({ kind: "done" })
})

test("[DR3] settles running tools as interrupted with their partial output, and keeps the inbox", () => {
  open({ tools: slowWork(60_000, true) })
  const session = stage.create()
  stage.replies.push({ blocks: [{ type: "text", text: "Working." }, ...callWork.blocks, ...callWork.blocks] })
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.filter((line) => line.startsWith("start work")).length === 2)
  stage.prompt(session, "Queued", { delivery: "queue" })
  interrupt(session)
  interrupt(session)
  expect(stage.settle(session)).toMatchObject({ kind: "interrupted", reason: { code: "interrupted" } })
  expect(stage.facts(session, "call.settled").map(({ outcome }) => [outcome.state, outcome.output])).toEqual([
    ["interrupted", "halfway\n[interrupted]"],
    ["interrupted", "halfway\n[interrupted]"],
  ])
  expect(stage.facts(session, "turn.settled")).toMatchObject([{ status: "interrupted" }])
  expect(stage.status(session)).toMatchObject({ state: "interrupted", pending: 1, owing: true })
  expect(stage.sent).toHaveLength(1)
  expect(stage.journal).not.toContain("end work")
})

test("[DR3 TU2] settles calls that wait for others without having run them", () => {
  open({ tools: slowWork(60_000) })
  const session = stage.create()
  stage.replies.push({ blocks: [...callWork.blocks, ...callWork.blocks, ...callWork.blocks] })
  stage.prompt(session, "Hello")
  stage.until(working)
  stage.pass(100) // the whole answer is there
  interrupt(session)
  expect(stage.settle(session)).toMatchObject({ kind: "interrupted" })
  expect(stage.facts(session, "call.settled").map(({ outcome }) => outcome.output)).toEqual([
    "halfway\n[interrupted]",
    "[interrupted before it started]",
    "[interrupted before it started]",
  ])
  expect(stage.facts(session, "call.started")).toHaveLength(1)
  expect(stage.journal.filter((line) => line.startsWith("start"))).toHaveLength(1)
})

test("[DR3 TU2] starts no call that waited, at whatever moment the interrupt comes", () => {
  for (let seed = 1; seed <= 40; seed++) {
    open({ seed, tools: slowWork(50) })
    const session = stage.create()
    const blocks = Array.from({ length: 4 }, () => callWork.blocks).flat()
    stage.replies.push({ blocks, firstByteMs: 20, delayMs: 5 })
    stage.prompt(session, "Hello")
    stage.pass(stage.world.below(300))
    interrupt(session)
    const starts = () => stage.journal.filter((line) => line.startsWith("start"))
    const acted = starts()
    stage.settle(session)
    stage.pass(10_000)
    expect(starts(), `seed ${seed}`).toEqual(acted)
    const parts = stage.facts(session, "part.recorded").filter(({ part }) => part.type === "call")
    expect(stage.facts(session, "call.settled"), `seed ${seed}`).toHaveLength(parts.length)
    if (seed < 40) stage.close()
  }
})

test("[DR3 TU3] keeps the text that had streamed, marked interrupted", () => {
  open()
  const session = stage.create()
  stage.replies.push({ blocks: [{ type: "text", text: "abcdefghij" }], chunkChars: 1, delayMs: 100 })
  stage.prompt(session, "Hello")
  stage.until(() => stage.live.filter((event) => event.type === "text-delta").length === 4)
  interrupt(session)
  stage.settle(session)
  expect(stage.facts(session, "part.recorded").map(({ part }) => part)).toEqual([
    { type: "text", text: "abcd", interrupted: true },
  ])
})

test("[DR3] sends no request and starts no call after it is acknowledged, at whatever moment it comes", () => {
  for (let seed = 1; seed <= 40; seed++) {
    open({ seed, tools: slowWork(50) })
    const session = stage.create()
    for (let n = 0; n < 6; n++) stage.replies.push({ ...callWork, firstByteMs: 20, delayMs: 5 })
    stage.prompt(session, "Hello")
    stage.pass(stage.world.below(400))
    interrupt(session)
    const acted = stage.journal.filter((line) => line === "send" || line.startsWith("start")).length
    stage.settle(session)
    stage.pass(10_000)
    const later = stage.journal.filter((line) => line === "send" || line.startsWith("start")).length
    expect(later, `seed ${seed}`).toBe(acted)
    const calls = stage.facts(session, "call.started").length
    expect(stage.facts(session, "call.settled"), `seed ${seed}`).toHaveLength(calls)
    if (seed < 40) stage.close()
  }
})

test.each([
  ["[DR3] sends nothing when it is acknowledged right after the boundary is committed", "turn.started"],
  ["[DR3] starts no call when it is acknowledged right after the call is recorded", "call.started"],
])("%s", (_title, type) => {
  for (let seed = 1; seed <= 20; seed++) {
    open({ seed, tools: slowWork(50) })
    const session = stage.create()
    stage.replies.push(callWork)
    stage.afterCommit = (command) =>
      command.kind === "append" && command.facts.some((fact) => fact.type === type)
        ? Effect.orDie(stage.current.runtime?.interrupt(session) ?? Effect.void)
        : Effect.void
    expect(stage.converse(session, "Hello")).toMatchObject({ kind: "interrupted" })
    expect(stage.sent).toHaveLength(type === "turn.started" ? 0 : 1)
    expect(working(), `seed ${seed}`).toBe(false)
    const states = stage.facts(session, "call.settled").map(({ outcome }) => outcome.state)
    expect(states).toEqual(type === "turn.started" ? [] : ["interrupted"])
    if (seed < 20) stage.close()
  }
})

test("[DR3] acknowledges only after the interrupt is committed", () => {
  open({ tools: slowWork(60_000) })
  const session = stage.create()
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(working)
  const asked = stage.begin((runtime) => runtime.interrupt(session))
  stage.until(() => asked() !== null)
  expect(stage.journal).toContain("interrupt")
  stage.kill()
  stage.boot()
  expect(stage.facts(session, "session.interrupted")).toHaveLength(1)
})

test("[DR3] promotes input that comes after the interrupt while the drain still winds down", () => {
  open({ tools: slowWork(60_000) })
  const session = stage.create()
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(working)
  interrupt(session)
  stage.prompt(session, "Now this")
  stage.settle(session)
  expect(stage.status(session)).toMatchObject({ pending: 0, owing: false, state: "idle" })
  expect(stage.sent.at(-1)?.lines.at(-1)).toBe("user: Now this")
})

test("[DR3 PR8] resumes when asked while the interrupted drain still winds down", () => {
  open({ tools: slowWork(60_000) })
  const session = stage.create()
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(working)
  interrupt(session)
  stage.resume(session)
  expect(stage.status(session)).toMatchObject({ owing: false, state: "idle" })
  expect(stage.sent).toHaveLength(2)
})

test("[DR3] reaches a drain that waits between attempts, and the wait is over", () => {
  open()
  const session = stage.create()
  stage.replies.push({ blocks: [], fault: { kind: "rate-limited", retryAfter: 60 } })
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.includes("session.updated"))
  expect(stage.status(session)).toMatchObject({ state: "waiting" })
  interrupt(session)
  expect(stage.settle(session)).toMatchObject({ kind: "interrupted" })
  expect(stage.status(session)).toMatchObject({ state: "interrupted", waitingUntil: null })
  stage.pass(120_000)
  expect(stage.sent).toHaveLength(1)
})

test("[DR3] cancels the policy continue although the process dies before the turn has settled", () => {
  open({ tools: slowWork(60_000) })
  const session = stage.create("continue")
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(working)
  const asked = stage.begin((runtime) => runtime.interrupt(session))
  stage.until(() => asked() !== null)
  stage.kill()
  stage.boot()
  stage.settle(session)
  stage.pass(10_000)
  expect(stage.sent).toHaveLength(1)
  expect(stage.status(session)).toMatchObject({ state: "interrupted", owing: true })
})

test("[DR3] lets the policy continue stand again for input that came after the interrupt", () => {
  open({ tools: slowWork(60_000) })
  const session = stage.create("continue")
  stage.replies.push(callWork, callWork)
  stage.prompt(session, "Hello")
  stage.until(working)
  interrupt(session)
  stage.settle(session)
  stage.prompt(session, "Go on")
  stage.until(() => stage.sent.length === 2)
  stage.kill()
  stage.boot()
  stage.settle(session)
  expect(stage.sent.length).toBeGreaterThan(2)
  expect(stage.status(session)).toMatchObject({ state: "idle", owing: false })
})

test("[DR3] stops a stream in the process that drives the Session when another asks", () => {
  open()
  const session = stage.create()
  const driver = stage.current
  stage.replies.push({ blocks: [{ type: "text", text: "x".repeat(200) }], chunkChars: 1, delayMs: 500 })
  stage.prompt(session, "Hello")
  stage.until(streaming)
  stage.boot()
  interrupt(session)
  stage.pass(1_000)
  expect(driver.runtime?.active()).toEqual([])
  driver.process.dead = true
})
