/** No attempt lasts for ever: bytes are no progress, and everything has an end (TU4). */
import { afterEach, expect, test } from "vitest"
import type { SimFrame, SimResponse } from "@holdfast/provider-sim"
import { runtimeLimits } from "@holdfast/core/session/ports"
import { Stage, type StageOptions } from "../harness.ts"
import { faulty } from "../model.ts"

let stage: Stage
const open = (options: StageOptions = {}) => {
  stage = new Stage(options)
  return stage.create()
}
afterEach(() => stage.close())

const bytes = (text: string, afterMs: number): SimFrame => ({
  kind: "bytes",
  afterMs,
  bytes: new TextEncoder().encode(text),
})

function* forEver(frame: SimFrame): Generator<SimFrame> {
  for (;;) yield frame
}

/** Changes the first answer, and leaves the others. */
function rewriteFirst(change: (response: SimResponse) => Partial<SimResponse>): void {
  let first = true
  stage.rewrite = (response) => {
    if (!first) return response
    first = false
    return { ...response, ...change(response) }
  }
}

const attempts = (session: ReturnType<typeof open>) =>
  stage.turns(session)[0]?.settled?.ledger.attempts.map(({ failure }) => failure?.code ?? null)
const firstTookMs = (session: ReturnType<typeof open>) =>
  (stage.sent[1]?.atMs ?? 0) -
  (stage.sent[0]?.atMs ?? 0) -
  (stage.turns(session)[0]?.settled?.ledger.attempts[0]?.waitMs ?? 0)

const ping = 'event: ping\ndata: {"type": "ping"}\n\n'

test("[TU4] pings are no progress: an answer without content is given up", () => {
  const session = open()
  rewriteFirst(() => ({ frames: forEver(bytes(ping, 20_000)) }))
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(attempts(session)).toEqual(["idle_timeout", null])
  expect(firstTookMs(session)).toBe(runtimeLimits.contentMs)
  expect(stage.turns(session)[0]?.settled?.ledger.attempts[0]?.failure?.message).toContain(
    "signs of life came, but no content for 600 s",
  )
})

test("[TU4] that an answer has begun is no content either", () => {
  const session = open()
  rewriteFirst(({ frames }) => {
    const [start] = frames
    return { frames: start === undefined ? [] : headThen(start, forEver(bytes(ping, 20_000))) }
  })
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(attempts(session)).toEqual(["idle_timeout", null])
})

function* headThen(head: SimFrame, rest: Iterable<SimFrame>): Generator<SimFrame> {
  yield head
  yield* rest
}

test("[TU4] a model that thinks behind pings for minutes is waited for", () => {
  const session = open()
  rewriteFirst(({ frames }) => ({
    frames: [...Array.from({ length: 20 }, () => bytes(ping, 20_000)), ...frames],
  }))
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(attempts(session)).toEqual([null])
})

test("[TU4] an answer that never ends is ended, and what came of it is kept", () => {
  const session = open()
  stage.replies.push(faulty({ kind: "endless-deltas" }, { delayMs: 50_000 }))
  expect(stage.converse(session, "Hello")).toMatchObject({
    kind: "failed",
    reason: { code: "answer_timeout", message: expect.stringContaining("resume to go on") },
  })
  expect(stage.sent).toHaveLength(1)
  const [turn] = stage.turns(session)
  expect(turn?.settled?.ledger.durationMs).toBeGreaterThanOrEqual(runtimeLimits.answerMs)
  expect(turn?.settled?.ledger.durationMs).toBeLessThan(runtimeLimits.answerMs + 60_000)
  const kept = stage.facts(session, "part.recorded").map(({ part }) => ("text" in part ? part.text : ""))
  expect(kept.join("")).toBe("and so on, ".repeat(144))
})

const stall = (): Partial<SimResponse> => ({ frames: [{ kind: "stall" }] })
const pings = (): Partial<SimResponse> => ({ frames: forEver(bytes(ping, 20_000)) })
const noAnswer = (): Partial<SimResponse> => ({ headersAfterMs: 86_400_000 })

test.each<readonly [string, NonNullable<StageOptions["timeouts"]>, () => Partial<SimResponse>, number]>([
  ["firstByteSeconds", { firstByteMs: 600_000 }, noAnswer, 600_000],
  ["idleSeconds", { idleMs: 300_000 }, stall, 300_000],
  ["contentSeconds", { contentMs: 60_000 }, pings, 60_000],
])("[TU4 DR2] what a provider's %s say is how long its answer is waited for", (_, timeouts, fault, ms) => {
  const session = open({ timeouts })
  rewriteFirst(fault)
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(attempts(session)).toEqual([expect.stringContaining("timeout"), null])
  expect(firstTookMs(session)).toBe(ms)
})

test("[TU4] a local model that reads for nine minutes before its first word answers in one attempt", () => {
  const session = open({ timeouts: { firstByteMs: 600_000 } })
  rewriteFirst(() => ({ headersAfterMs: 540_000 }))
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(attempts(session)).toEqual([null])
})

test("[TU4] an answer ends when the time is over that its provider's answerSeconds give it", () => {
  const session = open({ timeouts: { answerMs: 300_000 } })
  stage.replies.push(faulty({ kind: "endless-deltas" }, { delayMs: 50_000 }))
  expect(stage.converse(session, "Hello")).toMatchObject({ reason: { code: "answer_timeout" } })
  expect(stage.turns(session)[0]?.settled?.ledger.durationMs).toBeLessThan(360_000)
})

test.each<readonly [string, () => Iterable<SimFrame>]>([
  ["drips", () => forEver(bytes("x", 700))],
  ["never comes", () => [{ kind: "stall" }]],
])("[TU4] the body of a refusal that %s is not waited for: its status tells", (_, frames) => {
  const session = open()
  rewriteFirst(() => ({ status: 401, frames: frames() }))
  const began = stage.world.nowMs
  expect(stage.converse(session, "Hello")).toMatchObject({
    kind: "failed",
    reason: { code: "authentication" },
  })
  expect(stage.world.nowMs - began).toBeLessThan(runtimeLimits.errorBodyMs + 1_000)
})
