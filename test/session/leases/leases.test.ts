/** A lease that is kept, one that is taken, and one that is lost while its holder sleeps. */
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { MessageId, SessionId } from "@holdfast/schema/id"
import type { Booted } from "../../stage/virtual.ts"
import { FactSource } from "../fact-source.ts"
import { Stage, type StageOptions } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
const open = (ms: number, options: StageOptions = {}) => {
  stage = new Stage({ tools: [workTool((line) => stage.journal.push(line), { ms })], ...options })
  return stage.create()
}
const booted: Booted[] = []
afterEach(() => {
  for (const { process } of booted.splice(0)) process.dead = true
  stage.close()
})

const callWork = { blocks: [{ type: "tool_use" as const, name: "work", input: {} }] }
const hourMs = 3_600_000

/** The first process is at work on a call; a second one has input and waits for the Session. */
function contend(session: SessionId): { readonly first: Booted; readonly second: Booted } {
  const first = stage.current
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  const second = stage.boot()
  booted.push(first)
  stage.ask((runtime) => runtime.prompt({ sessionID: session, text: "More" }), second)
  return { first, second }
}

const drains = ({ runtime }: Booted): readonly string[] => runtime?.active() ?? []
const tokenOf = (session: SessionId) => stage.ask((_, store) => store.lease(session))?.token

test("[DR1 ST2] keeps the lease of a tool that takes longer than a lease lives", () => {
  const session = open(15_000)
  const { first, second } = contend(session)
  const token = tokenOf(session)
  stage.pass(14_000)
  expect(stage.journal).not.toContain("end work")
  expect([drains(first), drains(second)]).toEqual([[session], []])
  expect(tokenOf(session)).toBe(token)
  expect(stage.ask((runtime) => runtime.settled(session), first)).toEqual({ kind: "done" })
  expect(stage.facts(session, "call.settled").map(({ outcome }) => outcome.state)).toEqual(["done"])
})

for (const hours of [5, -5]) {
  test(`[DR1 ST2] leaves a living lease alone when the clock steps by ${hours} hours`, () => {
    const session = open(15_000)
    const { first, second } = contend(session)
    const token = tokenOf(session)
    stage.pass(1_000)
    second.process.skewMs = hours * hourMs
    stage.pass(5_000)
    first.process.skewMs = -hours * hourMs
    stage.pass(5_000)
    expect([drains(first), drains(second)]).toEqual([[session], []])
    expect(tokenOf(session)).toBe(token)
    stage.ask((runtime) => runtime.settled(session), first)
    stage.ask((runtime) => runtime.settled(session), second)
    expect(stage.facts(session, "turn.settled").map(({ status }) => status)).toEqual(["continue", "done"])
  })
}

test("[DR2 EP13] looks at its context when the lease is there, not when it began to wait for it", () => {
  const weather = new FactSource("sim/weather", "sunny")
  const session = open(40_000, { sources: [weather] })
  const first = stage.current
  const second = stage.boot()
  booted.push(first)
  for (const each of [second, first]) {
    stage.ask((runtime) => runtime.prompt({ sessionID: session, text: "Hello" }), each)
    stage.ask((runtime) => runtime.settled(session), each)
  }
  stage.replies.push(callWork)
  stage.ask((runtime) => runtime.prompt({ sessionID: session, text: "Work" }), first)
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  first.process.freeze(20_000)
  stage.ask((runtime) => runtime.prompt({ sessionID: session, text: "More" }), second)
  weather.value = "rainy"
  expect(stage.ask((runtime) => runtime.settled(session), second)).toEqual({ kind: "done" })
  expect(stage.sent.at(-1)?.raw).toContain("sim/weather is now rainy.")
})

test("[DR1 ST2] takes over from a process that sleeps, which then stops its tool and writes nothing", () => {
  const session = open(40_000)
  const { first, second } = contend(session)
  first.process.freeze(20_000)
  expect(stage.ask((runtime) => runtime.settled(session), second)).toEqual({ kind: "done" })
  const before = stage.events(session)
  stage.until(() => !first.process.frozen)
  stage.pass(2_000)
  expect(drains(first)).toEqual([])
  expect(stage.journal.filter((line) => line.includes("work"))).toHaveLength(1)
  stage.pass(60_000)
  expect(stage.journal).not.toContain("end work")
  expect(stage.events(session)).toEqual(before)
  expect(stage.facts(session, "call.settled").map(({ outcome }) => outcome.errorCode)).toEqual([
    "outcome_unknown",
  ])
})

test("[DR1 ST2] stops a stream whose lease was lost, and what it still says is not recorded", () => {
  const session = open(0)
  const first = stage.current
  const text = "word ".repeat(400)
  stage.replies.push({ blocks: [{ type: "text", text }], chunkChars: 10, delayMs: 200 })
  stage.prompt(session, "Hello")
  stage.until(() => stage.live.some(({ type }) => type === "text-delta"))
  const second = stage.boot()
  booted.push(first)
  first.process.freeze(20_000)
  stage.ask((runtime) => runtime.prompt({ sessionID: session, text: "More" }), second)
  expect(stage.ask((runtime) => runtime.settled(session), second)).toEqual({ kind: "done" })
  stage.until(() => !first.process.frozen)
  const before = stage.events(session)
  stage.pass(2_000)
  const heard = stage.live.length
  expect(drains(first)).toEqual([])
  stage.pass(30_000)
  expect(stage.live.slice(heard)).toEqual([])
  expect(stage.events(session)).toEqual(before)
})

test("[DR3] heeds an interrupt that another process stored while this one waited for the lease", () => {
  const session = open(40_000)
  const { first, second } = contend(session)
  stage.ask((runtime) => runtime.interrupt(session), first)
  expect(stage.ask((runtime) => runtime.settled(session), second)).toMatchObject({ kind: "interrupted" })
  stage.pass(20_000)
  expect(stage.sent).toHaveLength(1)
  expect(stage.status(session)).toMatchObject({ pending: 1 })
  stage.ask((runtime) => runtime.prompt({ sessionID: session, text: "Now" }), second)
  expect(stage.ask((runtime) => runtime.settled(session), second)).toEqual({ kind: "done" })
  expect(stage.sent.at(-1)?.lines.slice(-2)).toEqual(["user: More", "user: Now"])
})

test("[DR3 PR2] heeds such an interrupt, too, where a repeated prompt made it wait", () => {
  const session = open(40_000)
  const first = stage.current
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  const repeated = { sessionID: session, id: "prm_again", text: "More", delivery: "queue" } as const
  stage.ask((runtime) => runtime.prompt({ ...repeated, resume: false }), first)
  const second = stage.boot()
  booted.push(first)
  stage.ask((runtime) => runtime.prompt(repeated), second)
  stage.ask((runtime) => runtime.interrupt(session), first)
  expect(stage.ask((runtime) => runtime.settled(session), second)).toMatchObject({ kind: "interrupted" })
  expect(stage.sent).toHaveLength(1)
})

test("[DR3 PR5] answers input that came after an interrupt, both while it waited for the lease", () => {
  const session = open(40_000)
  const { first, second } = contend(session)
  first.process.freeze(30_000)
  const third = stage.boot()
  booted.push(second)
  stage.ask((runtime) => runtime.interrupt(session), third)
  stage.ask((runtime) => runtime.prompt({ sessionID: session, text: "Now" }), second)
  expect(stage.ask((runtime) => runtime.settled(session), second)).toEqual({ kind: "done" })
  expect(stage.sent.at(-1)?.lines.slice(-2)).toEqual(["user: More", "user: Now"])
})

test("[DR1] a process that slept through nothing goes on where it was", () => {
  const session = open(3_000)
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  stage.current.process.freeze(25_000)
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.facts(session, "call.settled").map(({ outcome }) => outcome.state)).toEqual(["done"])
  expect(stage.ask((runtime) => Effect.sync(runtime.active))).toEqual([])
})

test("[DR1] tells the result that another process wrote, not how the last drain here ended", () => {
  const session = open(40_000)
  const first = stage.current
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  stage.ask((runtime) => runtime.interrupt(session))
  const result = () => stage.ask((runtime) => runtime.result(session), first).status
  expect(result()).toBe("interrupted")
  const second = stage.boot()
  booted.push(first)
  stage.ask((runtime) => runtime.resume(session), second)
  expect(stage.ask((runtime) => runtime.settled(session), second)).toEqual({ kind: "done" })
  expect(stage.ask((runtime) => runtime.settled(session), first)).toMatchObject({ kind: "interrupted" })
  expect(result()).toBe("done")
})

test("[DR4 FA1] settles what a dead process left, though the store fails at first and nobody asks", () => {
  const session = open(40_000)
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  stage.kill()
  stage.refuses = ({ kind }) => kind === "acquire"
  stage.boot()
  stage.pass(30_000)
  expect(stage.turns(session).map(({ settled }) => settled)).toEqual([null])
  stage.refuses = () => false
  stage.pass(1_000)
  expect(stage.turns(session).map(({ settled }) => settled?.status)).toEqual(["interrupted"])
})

test("[TU7 PS2] tells no break that another process has told since this one last led", () => {
  const session = open(0)
  stage.converse(session, "One")
  const first = stage.current
  const [message] = stage.messages(session)
  stage.boot()
  booted.push(first)
  stage.ask((runtime) =>
    runtime.contribute(session, { type: "message.quarantined", message: message?.id as MessageId }),
  )
  stage.converse(session, "Two")
  stage.ask((runtime) => runtime.prompt({ sessionID: session, text: "Three" }), first)
  expect(stage.ask((runtime) => runtime.settled(session), first)).toEqual({ kind: "done" })
  const told = stage.turns(session).map(({ started }) => [started.pass, started.break?.reason ?? null])
  expect(told).toEqual([
    ["fold", null],
    ["refresh", "quarantine"],
    ["hold", null],
  ])
})
