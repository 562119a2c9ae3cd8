import { afterEach, expect, test } from "vitest"
import { Stage, type StageOptions } from "./harness.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const open = (options: StageOptions = {}) => (stage = new Stage(options))
afterEach(() => stage.close())

const refused = {
  blocks: [],
  fault: { kind: "unauthorized" as const },
}

test("[PR8] shows a Session as owing until a turn on its newest input settles done", () => {
  open()
  const session = stage.create()
  expect(stage.status(session).owing).toBe(false)
  stage.replies.push(refused)
  expect(stage.converse(session, "Hello")).toMatchObject({
    kind: "failed",
    reason: { code: "authentication" },
  })
  expect(stage.status(session)).toMatchObject({
    owing: true,
    state: "failed",
    reason: { code: "authentication" },
  })
  const listed = stage.ask((runtime) => runtime.list({ limit: 10 }))
  expect(listed.map(({ status }) => status.owing)).toEqual([true])
  stage.resume(session)
  expect(stage.status(session)).toMatchObject({ owing: false, state: "idle", reason: null })
})

test("[PR8] tells with the end of each drain whether an input is left without an answer", () => {
  open()
  const session = stage.create()
  stage.replies.push({ blocks: [], fault: { kind: "unauthorized" } })
  stage.converse(session, "Hello")
  stage.resume(session)
  const ends = stage.live.flatMap((event) => (event.type === "drain-end" ? [event] : []))
  expect(ends).toMatchObject([
    { status: "failed", owing: true },
    { status: "done", owing: false },
  ])
})

test("[PR8] resumes an owing Session without promoting what is queued before it", () => {
  open()
  const session = stage.create()
  stage.replies.push(refused)
  stage.converse(session, "Hello")
  stage.prompt(session, "Queued", { delivery: "queue", resume: false })
  stage.resume(session)
  expect(stage.sent.map(({ lines }) => lines)).toEqual([
    ["user: Hello"],
    ["user: Hello"],
    ["user: Hello", "assistant: Answer 1.", "user: Queued"],
  ])
})

test("[PR8] refuses to resume a Session that owes nothing", () => {
  open()
  const session = stage.create()
  stage.converse(session, "Hello")
  expect(stage.failure((runtime) => runtime.resume(session))).toMatchObject({ _tag: "NothingOwed", session })
  expect(stage.sent).toHaveLength(1)
})

test("[PR8] lets a new prompt end the debt with both inputs in history in order", () => {
  open()
  const session = stage.create()
  stage.replies.push(refused)
  stage.converse(session, "First")
  expect(stage.converse(session, "Second")).toEqual({ kind: "done" })
  expect(stage.sent.at(-1)?.lines).toEqual(["user: First", "user: Second"])
  expect(stage.status(session).owing).toBe(false)
})

/** A Session whose process was killed while a call ran. */
function killedInCall() {
  open({ tools: [workTool((line) => stage.journal.push(line), { ms: 60_000 })] })
  const session = stage.create()
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: {} }] })
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  stage.kill()
  stage.boot()
  stage.settle(session)
  return session
}

test("[PR8] resumes what a crash left before it takes a queued prompt", () => {
  const session = killedInCall()
  expect(stage.converse(session, "Queued", { delivery: "queue" })).toEqual({ kind: "done" })
  const [, resumed, queued] = stage.sent.map(({ lines }) => lines)
  expect(resumed?.slice(0, 2)).toEqual(["user: Hello", "call: work"])
  expect(resumed).not.toContain("user: Queued")
  expect(queued?.slice(-2)).toEqual(["assistant: Answer 1.", "user: Queued"])
  expect(stage.status(session)).toMatchObject({ owing: false, pending: 0, state: "idle" })
})

test("[PR8] shows the resumed request as the next one while a queued prompt waits behind it", () => {
  const session = killedInCall()
  stage.prompt(session, "Queued", { delivery: "queue", resume: false })
  const { segments } = stage.ask((runtime) => runtime.request(session))
  expect(segments.at(-1)?.why).toBe("What was said and done so far.")
})

test("[PR8] resumes a debt once for queued prompts, and takes the first of them if it fails again", () => {
  open()
  const session = stage.create()
  stage.replies.push(refused, refused)
  stage.converse(session, "Hello")
  expect(stage.converse(session, "One", { delivery: "queue" })).toMatchObject({ kind: "failed" })
  expect(stage.status(session)).toMatchObject({ owing: true, pending: 1 })
  expect(stage.converse(session, "Two", { delivery: "queue" })).toEqual({ kind: "done" })
  expect(stage.sent.map(({ lines }) => lines)).toEqual([
    ["user: Hello"],
    ["user: Hello"],
    ["user: Hello", "user: One"],
    ["user: Hello", "user: One", "assistant: Answer 1.", "user: Two"],
  ])
})

test("[PR8] goes on for a queued prompt with what somebody asked to resume, however often it failed before", () => {
  open()
  const session = stage.create()
  stage.replies.push(refused, refused, refused)
  stage.converse(session, "Hello")
  stage.converse(session, "One", { delivery: "queue" })
  expect(stage.resume(session)).toMatchObject({ kind: "failed" })
  expect(stage.converse(session, "Two", { delivery: "queue" })).toEqual({ kind: "done" })
  expect(stage.sent.slice(3).map(({ lines }) => lines.at(-1))).toEqual([
    "user: Hello",
    "user: One",
    "user: Two",
  ])
})

test("[PR8 DR3] takes a queued prompt at once after an interrupt", () => {
  open()
  const session = stage.create()
  stage.replies.push({ blocks: [{ type: "text", text: "slow" }], firstByteMs: 60_000 })
  stage.prompt(session, "Hello")
  stage.until(() => stage.sent.length === 1)
  stage.ask((runtime) => runtime.interrupt(session))
  stage.settle(session)
  expect(stage.converse(session, "Queued", { delivery: "queue" })).toEqual({ kind: "done" })
  expect(stage.sent.slice(1).map(({ lines }) => lines)).toEqual([["user: Hello", "user: Queued"]])
})

test("[PR8 DR5] resumes an owing Session at start under the policy continue, and not under settle", () => {
  for (const policy of ["continue", "settle"] as const) {
    open({ tools: [workTool((line) => stage.journal.push(line), { ms: 60_000 })] })
    const session = stage.create(policy)
    stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: {} }] })
    stage.prompt(session, "Hello")
    stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
    stage.kill()
    stage.boot()
    stage.settle(session)
    expect(stage.sent, policy).toHaveLength(policy === "continue" ? 2 : 1)
    expect(stage.status(session)).toMatchObject(
      policy === "continue"
        ? { state: "idle", owing: false }
        : { state: "interrupted", owing: true, reason: { code: "process_ended" } },
    )
    expect(stage.journal.filter((line) => line.startsWith("start work"))).toHaveLength(1)
    if (policy === "continue") stage.close()
  }
})

test("[DR5] a policy that is changed later holds for the next restart", () => {
  open({ tools: [workTool((line) => stage.journal.push(line), { ms: 60_000 })] })
  const session = stage.create("settle")
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: {} }] })
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  stage.ask((runtime) => runtime.update(session, { policy: "continue" }))
  stage.kill()
  stage.boot()
  stage.settle(session)
  expect(stage.sent).toHaveLength(2)
  expect(stage.status(session)).toMatchObject({ state: "idle", owing: false })
})

test("[DR11] takes no queued input after a failed turn, and steers before the queue at the next wake", () => {
  open()
  const session = stage.create()
  stage.replies.push({ ...refused, firstByteMs: 1_000 })
  stage.prompt(session, "Hello")
  stage.until(() => stage.sent.length === 1)
  stage.prompt(session, "Queued 1", { delivery: "queue" })
  stage.prompt(session, "Queued 2", { delivery: "queue" })
  expect(stage.settle(session)).toMatchObject({ kind: "failed" })
  expect(stage.status(session)).toMatchObject({ pending: 2, state: "failed" })
  expect(stage.sent).toHaveLength(1)
  stage.converse(session, "Steer")
  expect(stage.sent.slice(1).map(({ lines }) => lines.at(-1))).toEqual([
    "user: Steer",
    "user: Queued 1",
    "user: Queued 2",
  ])
})

test("[DR11 PR5] hears a prompt that comes as soon as the failure is known", () => {
  for (let seed = 1; seed <= 20; seed++) {
    open({ seed })
    const session = stage.create()
    stage.replies.push(refused)
    stage.prompt(session, "Hello")
    stage.until(() => stage.journal.some((line) => line.includes("turn.settled")))
    stage.converse(session, "Once more")
    expect(stage.status(session), `seed ${seed}`).toMatchObject({ pending: 0, owing: false, state: "idle" })
    if (seed < 20) stage.close()
  }
})

test("[DR11 DR5] wakes nothing after a restart under settle, and says how many inputs wait", () => {
  open()
  const session = stage.create()
  stage.prompt(session, "One", { resume: false })
  stage.prompt(session, "Two", { resume: false, delivery: "queue" })
  stage.kill()
  stage.boot()
  stage.pass(60_000)
  expect(stage.sent).toHaveLength(0)
  expect(stage.status(session)).toMatchObject({ state: "idle", pending: 2, owing: false })
})
