import { afterEach, expect, test } from "vitest"
import { checksumOf } from "@holdfast/store/sqlite/event-row"
import { FactSource } from "./fact-source.ts"
import { Stage, type StageOptions } from "./harness.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const open = (options: StageOptions = {}) => (stage = new Stage(options))
afterEach(() => stage.close())

const note = (line: string) => void stage.journal.push(line)
const callWork = { type: "tool_use" as const, name: "work", input: {} }
const verify = (session: string) =>
  stage.ask((runtime) => runtime.verify(session)).map(({ verdict }) => verdict)

/** Rewrites the data of the first event of a type, with or without a fitting checksum. */
function tamper(type: string, from: string, to: string, sealed: boolean): void {
  const database = stage.database
  const row = database?.prepare("SELECT rowid AS id, * FROM event WHERE type = ? ORDER BY seq").get(type)
  if (!database || !row) throw new Error(`no event ${type}`)
  const session = database.prepare("SELECT id FROM session WHERE key = ?").get(row["session"] ?? 0)?.["id"]
  const data = String(row["data"]).replace(from, to)
  const columns = { ...row, data } as never
  const checksum = sealed ? checksumOf(session as never, columns) : row["checksum"]
  database
    .prepare("UPDATE event SET data = ?, checksum = ? WHERE session = ? AND seq = ?")
    .run(data, checksum as number, row["session"] as number, row["seq"] as number)
}

test("[TU1] rebuilds every past request from the log as the same, across Epochs, calls and restarts", () => {
  const fact = new FactSource("sim/fact", "one")
  open({ sources: [fact], tools: [workTool(note)] })
  const session = stage.create()
  stage.replies.push({ blocks: [{ type: "text", text: "Well." }, callWork] })
  stage.converse(session, "One")
  fact.value = "two"
  stage.converse(session, "Two")
  stage.restart()
  fact.shape = "body"
  stage.converse(session, "Three")
  expect(verify(session)).toEqual(Array.from({ length: 4 }, () => ({ kind: "same" })))
})

test("[TU1] finds a request that the log no longer explains", () => {
  open()
  const session = stage.create()
  stage.converse(session, "Hello")
  const hash = stage.turns(session)[0]?.started.request.hash
  tamper("prompt.admitted", "Hello", "Hullo", true)
  expect(verify(session)).toEqual([
    { kind: "different", expected: hash, found: expect.not.stringMatching(hash ?? "") },
  ])
  tamper("prompt.admitted", "Hullo", "Hallo", false)
  expect(verify(session)).toMatchObject([{ kind: "unreadable" }])
})

test("[TU1] does not judge a request of another encoder version", () => {
  open()
  const session = stage.create()
  stage.converse(session, "Hello")
  const encoder = stage.turns(session)[0]?.started.request.encoder ?? ""
  tamper("turn.started", `"encoder":"${encoder}"`, '"encoder":"older"', true)
  expect(verify(session)).toEqual([{ kind: "other-encoder", encoder: "older" }])
})

test("[TU2] records each call before it runs, starts it at once, and waits for all before the next request", () => {
  open({
    tools: [workTool(note, { ms: 100 }), workTool(note, { name: "long", ms: 5_000 })],
  })
  const session = stage.create()
  stage.replies.push({
    blocks: [{ ...callWork, name: "long" }, callWork, { type: "text", text: "And then I wait." }],
    chunkChars: 1,
    delayMs: 10,
  })
  stage.converse(session, "Hello")
  const order = stage.journal
    .map((line) => line.replace(/ call_\w+$/, ""))
    .filter((line) => /^(send|start|end|part|call)/.test(line))
  expect(order).toEqual([
    "send",
    "part.recorded call.started",
    "start long",
    "part.recorded call.started",
    "start work",
    "end work",
    "call.settled",
    "part.recorded",
    "end long",
    "call.settled turn.settled",
    "send",
    "part.recorded",
  ])
  expect(stage.messages(session)[1]).toMatchObject({
    kind: "assistant",
    parts: [{ part: { type: "call", state: "done" } }, { part: { type: "call", state: "done" } }, {}],
  })
})

test("[TU2] settles each of several calls once, in the order in which they end", () => {
  open({
    tools: [
      workTool(note, { ms: 3_000 }),
      workTool(note, { name: "bad", ms: 2_000, fails: true }),
      workTool(note, { name: "quick", ms: 1_000 }),
    ],
  })
  const session = stage.create()
  stage.replies.push({ blocks: ["work", "bad", "quick", "missing"].map((name) => ({ ...callWork, name })) })
  const before = stage.world.nowMs
  stage.converse(session, "Hello")
  expect(stage.world.nowMs - before).toBeLessThan(4_000)
  const states = stage.facts(session, "call.settled").map(({ outcome }) => [outcome.state, outcome.errorCode])
  expect(states).toEqual([
    ["failed", "unknown_tool"],
    ["done", null],
    ["failed", "work_failed"],
    ["done", null],
  ])
  expect(stage.sent[1]?.lines.slice(5)).toEqual([
    "result: worked",
    "failed: It did not work.",
    "result: worked",
    'failed: There is no tool named "missing". Use one of: bad, quick, work.',
  ])
})

test("[TU2] records a call with unreadable arguments as failed, and the model can act on it", () => {
  open({ tools: [workTool(note)] })
  const session = stage.create()
  stage.replies.push({ blocks: [{ ...callWork, input: { path: "a" } }], chunkChars: 1_000 })
  stage.rewrite = (response) => ({
    ...response,
    frames: [...response.frames].map((frame) =>
      frame.kind === "bytes"
        ? {
            ...frame,
            bytes: Buffer.from(
              Buffer.from(frame.bytes).toString().replace('{\\"path\\":\\"a\\"}', '{\\"path'),
            ),
          }
        : frame,
    ),
  })
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(
    stage.facts(session, "call.settled").map(({ outcome }) => [outcome.state, outcome.errorCode]),
  ).toEqual([["failed", "invalid_input"]])
  expect(stage.facts(session, "call.started")).toHaveLength(0)
  expect(stage.journal.some((line) => line.startsWith("start"))).toBe(false)
  expect(stage.sent[1]?.lines.at(-1)).toMatch(/^failed: .*not valid JSON.*Send the call again/)
})

test("[TU7] leaves a ledger row for every turn", () => {
  open({ tools: [workTool(note)], price: { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 } })
  const session = stage.create()
  stage.replies.push(
    { blocks: [], fault: { kind: "overloaded" } },
    { blocks: [callWork], firstByteMs: 700, outputTokens: 40 },
  )
  stage.converse(session, "Hello")
  const [first, second] = stage.turns(session)
  const row = first?.settled?.ledger
  expect(first?.started.request).toMatchObject({ hash: expect.stringMatching(/^\w{64}$/), blocks: 3 })
  expect(first?.started.break).toBeNull()
  expect(row).toMatchObject({ usage: { output: 40 }, finish: "calls" })
  expect(row?.attempts).toEqual([
    { failure: { code: "overloaded", message: expect.any(String) }, waitMs: expect.any(Number) },
    { failure: null, waitMs: 0 },
  ])
  const { input = 0, cacheWrite = 0 } = row?.usage ?? {}
  expect(input + cacheWrite).toBeGreaterThan(0)
  expect(row?.cost).toBeCloseTo((input + cacheWrite * 2 + 400) / 1_000_000)
  expect(row?.durationMs).toBeGreaterThanOrEqual(700 + (row?.attempts[0]?.waitMs ?? 0))
  expect(second?.settled?.ledger).toMatchObject({
    finish: "stop",
    attempts: [{ failure: null }],
  })
})

test("[TU7] names block, segment and reason of every break, and none where a request only grows", () => {
  const fact = new FactSource("sim/fact", "one")
  open({ sources: [fact] })
  const session = stage.create()
  stage.converse(session, "One")
  fact.value = "two"
  stage.converse(session, "Two")
  fact.shape = "body"
  stage.converse(session, "Three")
  const model = { provider: "sim", model: "other" }
  const time = stage.world.nowMs
  stage.ask((_, store) =>
    store.commit({ kind: "contribute", session, time, fact: { type: "session.updated", model } }),
  )
  stage.restart()
  stage.converse(session, "Four")
  const breaks = stage.turns(session).map(({ started }) => started.break)
  expect(breaks).toEqual([
    null,
    null,
    { block: 0, segment: "system", reason: "epoch_incompatible" },
    { block: 0, segment: "params", reason: "model_changed" },
  ])
  expect(stage.turns(session).map(({ started }) => started.pass)).toEqual(["fold", "hold", "fold", "fold"])
})

test("[TU7] names a change of the settings that the wire had to make by itself, and its end", () => {
  open({ thinking: true, tools: [workTool(note)] })
  const session = stage.create()
  stage.replies.push({ blocks: [callWork] })
  stage.converse(session, "One")
  stage.restart()
  stage.converse(session, "Two")
  const settings = { block: 0, segment: "params", reason: "params_changed" }
  const started = stage.turns(session).map((turn) => turn.started)
  expect(started.map((turn) => turn.break)).toEqual([null, settings, settings])
  expect(started.map((turn) => turn.cacheExpected)).toEqual([0, 0, 0])
})

test("[TU7] has no break after a resume that failed without output", () => {
  open()
  const session = stage.create()
  stage.replies.push(
    { blocks: [{ type: "text", text: "x".repeat(8_000) }] },
    { blocks: [], fault: { kind: "unauthorized" } },
  )
  expect(stage.converse(session, "One")).toMatchObject({ kind: "failed", reason: { code: "output_limit" } })
  expect(stage.resume(session)).toMatchObject({ kind: "failed" })
  stage.converse(session, "Two")
  expect(stage.turns(session).map(({ started }) => started.break)).toEqual([null, null, null])
  const [, resumed, answered] = stage.sent
  expect(answered?.lines.slice(0, resumed?.lines.length)).toEqual(resumed?.lines)
})
