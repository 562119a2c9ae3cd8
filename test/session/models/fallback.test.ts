/** A model that cannot answer, and those that take over (CA3). */
import { afterEach, expect, test } from "vitest"
import type { Fault, SimFrame } from "@holdfast/provider-sim"
import { coolDownMs, quotaCoolDownMs } from "@holdfast/core/session/fallback"
import type { LineTrouble } from "../../stage/transport.ts"
import { Stage, type StageOptions } from "../harness.ts"
import { faulty } from "../model.ts"

const ref = (model: string) => ({ provider: "sim", model })
const taking = (...models: string[]): StageOptions => ({ settings: { fallback: models.map(ref) } })

let stage: Stage
const open = (options: StageOptions = {}) => {
  stage = new Stage({ ...taking("other", "third"), ...options })
  return stage.create()
}
afterEach(() => stage.close())

const fails = (fault: Fault, times = 1) =>
  stage.replies.push(...Array.from({ length: times }, () => faulty(fault)))
const models = (session: ReturnType<typeof open>) =>
  stage.turns(session).map(({ started, settled }) => [started.model.model, settled?.status])
const switches = (session: ReturnType<typeof open>) =>
  stage
    .facts(session, "session.updated")
    .flatMap(({ fallback }) => (fallback === undefined ? [] : [fallback]))

test.each<readonly [string, Fault, number]>([
  ["overloaded", { kind: "overloaded" }, 5],
  ["server_error", { kind: "server-error" }, 5],
  ["rate_limit", { kind: "rate-limited", retryAfter: 3_600 }, 1],
  ["quota", { kind: "out-of-credit" }, 1],
])("[CA3] %s before output hands the turn to the next model, and the log says so", (code, fault, times) => {
  const session = open()
  fails(fault, times)
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(models(session)).toEqual([
    ["script", "failed"],
    ["other", "done"],
  ])
  expect(switches(session)).toMatchObject([{ from: ref("script"), to: ref("other"), reason: { code } }])
  expect(stage.turns(session)[1]?.started.break).toMatchObject({ reason: "model_changed" })
  expect(stage.facts(session, "prompt.promoted")).toHaveLength(1)
  expect(stage.ask((runtime) => runtime.result(session))).toMatchObject({
    status: "done",
    model: ref("other"),
  })
})

test.each<readonly [LineTrouble, number]>([
  ["refused", 5],
  ["reset", 5],
  ["silent", 5],
])("[CA3] a line that is %s hands the turn to the next model", (trouble, times) => {
  const session = open()
  stage.lineTrouble = () => (stage.sent.length <= times ? trouble : null)
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(models(session)).toEqual([
    ["script", "failed"],
    ["other", "done"],
  ])
})

test("[CA3] while the chosen model rests it is told who answers, and for whom until when", () => {
  const session = open()
  const answering = () => stage.ask((runtime) => runtime.answering(session))
  expect(answering()).toMatchObject({ provider: "sim", model: "script" })
  expect(answering().insteadOf).toBeUndefined()
  fails({ kind: "out-of-credit" })
  stage.converse(session, "One")
  const [{ until } = { until: 0 }] = switches(session)
  expect(answering()).toMatchObject({ model: "other", insteadOf: { model: ref("script"), until } })
  expect(switches(session)[0]?.paid).toBe(true)
  stage.pass(quotaCoolDownMs)
  expect(answering().model).toBe("script")
})

test("[CA3] the choice of the Session stays, and is taken again when its rest is over", () => {
  const session = open()
  fails({ kind: "overloaded" }, 5)
  stage.converse(session, "One")
  stage.converse(session, "Two")
  expect(stage.ask((runtime) => runtime.get(session)).model).toBeNull()
  expect(stage.ask((runtime) => runtime.request(session)).model).toEqual(ref("other"))
  stage.pass(coolDownMs)
  stage.converse(session, "Three")
  expect(models(session).map(([model]) => model)).toEqual(["script", "other", "other", "script"])
})

test("[CA3] a restart forgets neither the rest nor its end", () => {
  const session = open()
  fails({ kind: "out-of-credit" })
  stage.converse(session, "One")
  stage.restart()
  stage.converse(session, "Two")
  stage.pass(quotaCoolDownMs)
  stage.restart()
  stage.converse(session, "Three")
  expect(models(session).map(([model]) => model)).toEqual(["script", "other", "other", "script"])
})

test("[CA3] a rest lasts as long as the provider asks", () => {
  const session = open()
  fails({ kind: "rate-limited", retryAfter: 600 })
  stage.converse(session, "One")
  const until = (stage.sent[0]?.atMs ?? 0) + 600_000
  expect(switches(session)[0]?.until).toBe(until)
  stage.pass(until - stage.world.nowMs - 1_000)
  stage.converse(session, "Two")
  stage.pass(1_000)
  stage.converse(session, "Three")
  expect(models(session).map(([model]) => model)).toEqual(["script", "other", "other", "script"])
})

test("[CA3] the list is tried in order, and when it is used up the turn fails with every reason", () => {
  const session = open()
  fails({ kind: "overloaded" }, 5)
  fails({ kind: "out-of-credit" })
  fails({ kind: "server-error" }, 5)
  const end = stage.converse(session, "Hello")
  expect(end).toMatchObject({ kind: "failed", reason: { code: "fallback_exhausted" } })
  expect(models(session)).toEqual([
    ["script", "failed"],
    ["other", "failed"],
    ["third", "failed"],
  ])
  const message = end !== null && "reason" in end ? end.reason.message : ""
  for (const part of ["sim/script: ", "overloaded", "sim/other: ", "credit", "sim/third: "])
    expect(message).toContain(part)
  expect(stage.status(session)).toMatchObject({ state: "failed", owing: true })
  expect(stage.sent).toHaveLength(11)
})

test("[CA3] when all rest, the chosen model is asked again", () => {
  const session = open(taking("other"))
  fails({ kind: "out-of-credit" }, 2)
  stage.converse(session, "Hello")
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(models(session).map(([model]) => model)).toEqual(["script", "other", "script"])
})

test("[CA3 TU4] after durable output nobody takes over: the same model goes on", () => {
  const session = open({ limits: { checkpointBytes: 4 } })
  stage.replies.push(faulty({ kind: "error-event", afterDeltas: 6, type: "overloaded_error" }))
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(models(session)).toEqual([
    ["script", "interrupted"],
    ["script", "done"],
  ])
  expect(switches(session)).toEqual([])
})

test("[CA3 TU4] after durable output not even an empty account hands the turn over", () => {
  const session = open({ limits: { checkpointBytes: 4 } })
  stage.replies.push(faulty({ kind: "error-event", afterDeltas: 6, type: "overloaded_error" }))
  stage.rewrite = (response) => ({ ...response, frames: [...response.frames].map(billed) })
  expect(stage.converse(session, "Hello")).toMatchObject({ kind: "failed", reason: { code: "quota" } })
  expect(models(session)).toEqual([["script", "failed"]])
  expect(switches(session)).toEqual([])
})

/** The error of a stream as one about money. */
function billed(frame: SimFrame): SimFrame {
  if (frame.kind !== "bytes") return frame
  const text = Buffer.from(frame.bytes).toString("utf8").replaceAll("overloaded_error", "billing_error")
  return { ...frame, bytes: Buffer.from(text) }
}

test("[CA3] the list is gone through once, however long its models take to fail", () => {
  const session = open(taking("other"))
  // Five attempts with these waits between them outlast the rest of the model before.
  fails({ kind: "rate-limited", retryAfter: 30 }, 40)
  expect(stage.converse(session, "Hello")).toMatchObject({
    kind: "failed",
    reason: {
      code: "fallback_exhausted",
      message: expect.stringMatching(/sim\/script: .*rate limit.* sim\/other: .*rate limit/),
    },
  })
  expect(models(session).map(([model]) => model)).toEqual(["script", "other"])
  expect(stage.sent).toHaveLength(10)
})

test.each<readonly [string, Fault]>([
  ["authentication", { kind: "unauthorized" }],
  ["context_overflow", { kind: "overflow" }],
])("[CA3] %s is no reason to switch", (_, fault) => {
  const session = open()
  fails(fault, 2)
  stage.converse(session, "Hello")
  expect(new Set(models(session).map(([model]) => model))).toEqual(new Set(["script"]))
})

test("[CA3 TU1] requests before and after a switch are rebuilt from the log", () => {
  const session = open()
  fails({ kind: "out-of-credit" })
  stage.converse(session, "One")
  stage.pass(quotaCoolDownMs)
  stage.converse(session, "Two")
  expect(stage.verdicts(session)).toEqual(["same", "same", "same"])
})

test("[CA3 DR4] whichever write the process dies at, the prompt is promoted once and comes to its answer", () => {
  for (const moment of ["before", "after"] as const) {
    for (let write = 1; write <= 8; write++) {
      const session = open()
      stage.prompt(session, "Hello", { resume: false })
      fails({ kind: "out-of-credit" })
      stage.crash(session, { write, moment })
      if (stage.status(session).owing || stage.status(session).pending > 0) stage.resume(session)
      const said = `${moment} write ${write}`
      expect(stage.status(session), said).toMatchObject({ state: "idle", owing: false, pending: 0 })
      expect(stage.facts(session, "prompt.promoted"), said).toHaveLength(1)
      expect(models(session).at(-1), said).toEqual([expect.any(String), "done"])
      // Where the failure is on record, so is the switch: they are one commit.
      const failures = stage.turns(session).filter(({ settled }) => settled?.reason?.code === "quota")
      expect(switches(session), said).toHaveLength(failures.length)
      expect(new Set(stage.verdicts(session)), said).toEqual(new Set(["same"]))
      if (moment !== "after" || write !== 8) stage.close()
    }
  }
})

test("[CA3 DR2] a list that is changed between two turns holds from the next one on", () => {
  const session = open(taking())
  fails({ kind: "out-of-credit" })
  stage.converse(session, "One")
  expect(models(session)).toEqual([["script", "failed"]])
  stage.settings = { fallback: [ref("third")] }
  stage.converse(session, "Two")
  expect(models(session).at(-1)).toEqual(["third", "done"])
})
