import { afterEach, expect, test } from "vitest"
import { cutNotice } from "@holdfast/recall"
import { Stage, type StageOptions } from "./harness.ts"
import { faulty } from "./model.ts"
import { noticed } from "./sent-request.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const open = (options: StageOptions = {}) => {
  stage = new Stage(options)
  return stage.create()
}
afterEach(() => stage.close())

const gaps = () => stage.sent.slice(1).map(({ atMs }, at) => atMs - (stage.sent[at]?.atMs ?? 0))

test("[TU4] waits as long as the provider asks, and shows until when", () => {
  const session = open()
  stage.replies.push(faulty({ kind: "rate-limited", retryAfter: 30 }))
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.includes("session.updated"))
  const status = stage.status(session)
  expect(status).toMatchObject({ state: "waiting", reason: { code: "rate_limit" } })
  expect(status.waitingUntil).toBe((stage.sent[0]?.atMs ?? 0) + 30_000)
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(gaps()).toEqual([30_000])
  expect(stage.status(session)).toMatchObject({ state: "idle", waitingUntil: null })
})

test("[TU4] repeats the same bytes with growing waits, five attempts at most", () => {
  const session = open()
  for (let n = 0; n < 9; n++) stage.replies.push(faulty({ kind: "overloaded" }))
  expect(stage.converse(session, "Hello")).toMatchObject({ kind: "failed", reason: { code: "overloaded" } })
  expect(stage.sent).toHaveLength(5)
  expect(new Set(stage.sent.map(({ raw }) => raw)).size).toBe(1)
  for (const [at, gap] of gaps().entries()) {
    expect(gap).toBeGreaterThanOrEqual(0.8 * 500 * 2 ** at)
    expect(gap).toBeLessThanOrEqual(1.2 * 500 * 2 ** at)
  }
  expect(stage.turns(session)).toHaveLength(1)
  expect(stage.turns(session)[0]?.settled?.ledger.attempts).toHaveLength(5)
})

test("[TU4] makes no second attempt at what a repeat cannot mend", () => {
  const session = open()
  stage.replies.push(faulty({ kind: "unauthorized" }))
  expect(stage.converse(session, "Hello")).toMatchObject({
    kind: "failed",
    reason: { code: "authentication" },
  })
  expect(stage.sent).toHaveLength(1)
})

test("[TU4] ends the turn with the moment named when the wait asked for is too long", () => {
  const session = open()
  stage.replies.push(faulty({ kind: "rate-limited", retryAfter: 3_600 }))
  expect(stage.converse(session, "Hello")).toMatchObject({ kind: "failed", reason: { code: "rate_limit" } })
  const sentAt = stage.sent[0]?.atMs ?? 0
  expect(stage.status(session)).toMatchObject({
    state: "waiting",
    owing: true,
    waitingUntil: sentAt + 3_600_000,
  })
  stage.pass(7_200_000)
  expect(stage.sent).toHaveLength(1)
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(stage.status(session)).toMatchObject({ state: "idle", waitingUntil: null })
})

/** An answer that takes its time. */
const slowReply = { blocks: [{ type: "text" as const, text: "slowly" }], chunkChars: 1, delayMs: 400 }

test("[TU4] waits no more once the next attempt is under way", () => {
  const session = open()
  stage.replies.push(faulty({ kind: "rate-limited", retryAfter: 30 }), slowReply)
  stage.prompt(session, "Hello")
  stage.until(() => stage.live.some(({ type }) => type === "text-delta"))
  expect(stage.status(session)).toMatchObject({ state: "running", reason: null, waitingUntil: null })
  expect(stage.settle(session)).toEqual({ kind: "done" })
})

test("[TU4] waits no more once a turn goes on with what was put off", () => {
  const session = open()
  stage.replies.push(faulty({ kind: "rate-limited", retryAfter: 3_600 }), slowReply)
  stage.converse(session, "Hello")
  stage.ask((runtime) => runtime.resume(session))
  stage.until(() => stage.live.some(({ type }) => type === "text-delta"))
  expect(stage.status(session)).toMatchObject({ state: "running", reason: null, waitingUntil: null })
  expect(stage.settle(session)).toEqual({ kind: "done" })
})

test("[TU4] gives up on a first byte after its limit and on a silent stream after its own", () => {
  const limits = { firstByteMs: 10_000, idleMs: 3_000 }
  const session = open({ limits })
  stage.replies.push(faulty({ kind: "overloaded" }, { firstByteMs: 10_001 }), faulty({ kind: "stall" }))
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  const attempts = stage.turns(session)[0]?.settled?.ledger.attempts ?? []
  expect(attempts.map(({ failure }) => failure?.code ?? null)).toEqual([
    "first_byte_timeout",
    "idle_timeout",
    null,
  ])
  expect(gaps()).toEqual([10_000 + (attempts[0]?.waitMs ?? 0), 3_000 + (attempts[1]?.waitMs ?? 0)])
})

test("[TU4] repeats an attempt whose text never became durable, and tells that it is void", () => {
  const session = open()
  stage.replies.push(faulty({ kind: "cut", afterDeltas: 3 }))
  stage.converse(session, "Hello")
  expect(stage.turns(session)).toHaveLength(1)
  expect(stage.sent[1]?.raw).toBe(stage.sent[0]?.raw)
  expect(stage.live.map(({ type }) => type)).toContain("attempt-failed")
  expect(stage.facts(session, "part.recorded").map(({ part }) => part)).toEqual([
    { type: "text", text: "Answer 1.", interrupted: false },
  ])
})

test("[TU4] keeps nothing of a void attempt where the next one begins with another kind of part", () => {
  const tools = [workTool((line) => stage.journal.push(line))]
  const session = open({ tools })
  const call = { type: "tool_use" as const, name: "work", input: {} }
  stage.replies.push(
    faulty({ kind: "cut", afterDeltas: 3 }),
    { blocks: [call, { type: "text", text: "Called." }] },
    { blocks: [{ type: "text", text: "Done." }] },
  )
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  const parts = stage.facts(session, "part.recorded").map(({ index, part }) => [index, part.type])
  expect(parts).toEqual([
    [0, "call"],
    [1, "text"],
    [0, "text"],
  ])
  expect(stage.sent[2]?.lines.join("\n")).not.toContain("abc")
})

test("[TU4] says of a failure that is final how often it was tried, and what to do", () => {
  const session = open()
  for (let n = 0; n < 5; n++) stage.replies.push(faulty({ kind: "overloaded" }))
  const end = stage.converse(session, "Hello")
  const final = end !== null && "reason" in end ? end.reason.message : ""
  expect(final).toMatch(/^The provider is overloaded\. .* It was tried 5 times\. Resume to try again\.$/)
  const attempts = stage.turns(session)[0]?.settled?.ledger.attempts ?? []
  const told = attempts.map(({ failure }) => failure?.message ?? "")
  expect(told.join(" ")).not.toMatch(/tried|[Rr]esume/)
})

test("[TU4] says of a stream that breaks off again and again that it is given up", () => {
  const session = open()
  for (let n = 0; n < 9; n++) stage.replies.push(faulty({ kind: "cut", afterDeltas: 5 }, { delayMs: 400 }))
  expect(stage.converse(session, "Hello")).toMatchObject({
    reason: { message: expect.stringMatching(/It was tried 4 times\. Resume to try again\.$/) },
  })
})

test("[TU4] says how long a provider asks to wait where that is too long", () => {
  const session = open()
  stage.replies.push(faulty({ kind: "rate-limited", retryAfter: 3_600 }))
  expect(stage.converse(session, "Hello")).toMatchObject({
    reason: {
      message: expect.stringMatching(/It asks for a wait of 60 minutes\. Resume when it is over\.$/),
    },
  })
})

test("[TU4] opens a new turn instead once text is durable, and replays it with a notice that it was cut", () => {
  const session = open()
  stage.replies.push(faulty({ kind: "cut", afterDeltas: 5 }, { delayMs: 400 }))
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  const [first, second] = stage.turns(session)
  expect(first?.settled).toMatchObject({ status: "interrupted", reason: { code: "stream_cut" } })
  expect(second?.settled).toMatchObject({ status: "done" })
  expect(stage.sent[1]?.lines).toEqual(["user: Hello", "assistant: abcde", noticed(cutNotice)])
})

test("[TU4] never repeats an attempt after a call started", () => {
  const tools = [workTool((line) => stage.journal.push(line), { ms: 2_000 })]
  const session = open({ tools })
  stage.replies.push({
    blocks: [
      { type: "tool_use", name: "work", input: {} },
      { type: "text", text: "more" },
    ],
    chunkChars: 1,
    fault: { kind: "cut", afterDeltas: 2 },
  })
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(stage.journal.filter((line) => line.startsWith("start work"))).toHaveLength(1)
  expect(stage.turns(session)[0]?.settled).toMatchObject({ status: "interrupted" })
  expect(stage.sent[1]?.lines.slice(0, 3)).toContain("call: work")
  expect(stage.sent[1]?.lines).toContain("result: worked")
})

test("[TU4] reopens at most 3 turns in a row without a completed part", () => {
  const session = open()
  for (let n = 0; n < 9; n++) stage.replies.push(faulty({ kind: "cut", afterDeltas: 5 }, { delayMs: 400 }))
  expect(stage.converse(session, "Hello")).toMatchObject({ kind: "failed", reason: { code: "stream_cut" } })
  expect(stage.turns(session)).toHaveLength(4)
  expect(stage.sent).toHaveLength(4)
})

test("[TU4] counts reopened turns anew after a completed part", () => {
  const session = open()
  const cut = () => faulty({ kind: "cut", afterDeltas: 5 }, { delayMs: 400 })
  const part = { type: "text" as const, text: "whole" }
  const progress = faulty({ kind: "cut", afterDeltas: 7 }, { delayMs: 400, blocks: [part, ...cut().blocks] })
  stage.replies.push(cut(), cut(), progress)
  for (let n = 0; n < 9; n++) stage.replies.push(cut())
  expect(stage.converse(session, "Hello")).toMatchObject({ kind: "failed" })
  expect(stage.turns(session).length).toBeGreaterThan(4)
})

test("[TU4] counts reopened turns anew after a turn that came to its end", () => {
  const session = open({ tools: [workTool((line) => stage.journal.push(line))] })
  const cuts = Array.from({ length: 3 }, () => faulty({ kind: "cut", afterDeltas: 5 }, { delayMs: 400 }))
  stage.replies.push(...cuts, { blocks: [{ type: "tool_use", name: "work", input: {} }] }, ...cuts)
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(stage.turns(session).map(({ settled }) => settled?.status)).toEqual([
    ...cuts.map(() => "interrupted"),
    "continue",
    ...cuts.map(() => "interrupted"),
    "done",
  ])
})

test("[TU4] does not replay reasoning that was cut before its signature", () => {
  const session = open({ thinking: true })
  stage.replies.push({
    blocks: [
      { type: "thinking", text: "abcdefghij" },
      { type: "text", text: "never" },
    ],
    chunkChars: 1,
    delayMs: 400,
    fault: { kind: "cut", afterDeltas: 5 },
  })
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(stage.facts(session, "part.recorded")[0]?.part).toMatchObject({
    type: "reasoning",
    interrupted: true,
    native: null,
  })
  expect(stage.sent[1]?.lines).toEqual(["user: Hello"])
})

test("[TU4] fails a turn without an answer, typed, and keeps the Session owing", () => {
  const session = open()
  stage.replies.push({ blocks: [{ type: "text", text: " " }] }, { blocks: [] })
  for (const ask of [() => stage.converse(session, "Hello"), () => stage.resume(session)]) {
    expect(ask()).toMatchObject({ kind: "failed", reason: { code: "empty_answer" } })
    expect(stage.status(session)).toMatchObject({ state: "failed", owing: true })
  }
  expect(stage.sent).toHaveLength(2)
})
