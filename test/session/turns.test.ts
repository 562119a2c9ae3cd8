import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { Usage } from "@holdfast/schema/model"
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

const reads = (name: string, ms: number) => workTool(note, { name, ms, readOnly: true })
const starts = () =>
  stage.journal.map((line) => line.replace(/ call_\w+$/, "")).filter((line) => /^(start|end)/.test(line))

test("[TU2] records each call before it runs, starts it at once, and waits for all before the next request", () => {
  open({ tools: [reads("work", 100), reads("long", 5_000)] })
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
      reads("work", 3_000),
      workTool(note, { name: "bad", ms: 2_000, fails: true, readOnly: true }),
      reads("quick", 1_000),
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

test("[TU2] runs calls that write one after another, in the order of the answer", () => {
  open({ tools: [workTool(note, { name: "first", ms: 1_000 }), workTool(note, { name: "second" })] })
  const session = stage.create()
  stage.replies.push({ blocks: ["first", "second", "first"].map((name) => ({ ...callWork, name })) })
  stage.converse(session, "Hello")
  expect(starts()).toEqual([
    "start first",
    "end first",
    "start second",
    "end second",
    "start first",
    "end first",
  ])
  expect(stage.sent[1]?.lines.slice(-3)).toEqual(["result: worked", "result: worked", "result: worked"])
})

test("[TU2] takes a tool that does not say whether it writes for one that does", () => {
  const { readOnly: _, ...undeclared } = workTool(note, { ms: 1_000 })
  open({ tools: [undeclared] })
  const session = stage.create()
  stage.replies.push({ blocks: [callWork, callWork] })
  stage.converse(session, "Hello")
  expect(starts()).toEqual(["start work", "end work", "start work", "end work"])
})

test("[TU2] runs calls that only read together, and none beside one that writes", () => {
  open({ tools: [reads("look", 1_000), reads("peek", 2_000), workTool(note, { name: "write", ms: 500 })] })
  const session = stage.create()
  const names = ["look", "peek", "write", "look", "peek"]
  stage.replies.push({ blocks: names.map((name) => ({ ...callWork, name })) })
  stage.converse(session, "Hello")
  const [before, between, after] = [starts().slice(0, 4), starts().slice(4, 6), starts().slice(6)]
  expect(between).toEqual(["start write", "end write"])
  for (const together of [before, after]) {
    expect(together.slice(0, 2).sort()).toEqual(["start look", "start peek"])
    expect(together.slice(2)).toEqual(["end look", "end peek"])
  }
})

test("[TU2] records the start of a call that waited together with what it waited for", () => {
  open({ tools: [workTool(note, { ms: 100 })] })
  const session = stage.create()
  stage.replies.push({ blocks: [callWork, callWork], chunkChars: 1, delayMs: 10 })
  stage.converse(session, "Hello")
  const order = stage.journal
    .map((line) => line.replace(/ call_\w+$/, ""))
    .filter((line) => /^(start|part|call)/.test(line))
  expect(order.slice(0, 6)).toEqual([
    "part.recorded call.started",
    "start work",
    "part.recorded",
    "call.settled call.started",
    "start work",
    "call.settled turn.settled",
  ])
})

test("[TU2] starts what waited for a call that settles while the part of the next is on its way", () => {
  open({ tools: [workTool(note, { ms: 10 })] })
  const session = stage.create()
  stage.replies.push({ blocks: [callWork, callWork], chunkChars: 1, delayMs: 5 })
  stage.afterCommit = (command) =>
    command.kind === "append" && command.facts.every(({ type }) => type === "part.recorded")
      ? Effect.sleep(1_000)
      : Effect.void
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(starts()).toEqual(["start work", "end work", "start work", "end work"])
  expect(stage.facts(session, "call.settled")).toHaveLength(2)
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

test("[TU7] a turn that was refused before anything was sent leaves no break behind", () => {
  const session = open({ contextTokens: 4_000 }).create()
  expect(stage.converse(session, "word ".repeat(8_000))).toMatchObject({
    reason: { code: "window_exceeded" },
  })
  stage.resume(session)
  expect(stage.turns(session).map(({ started }) => started.break)).toEqual([null, null])
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
    { failure: null, waitMs: 0, usage: row?.usage },
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

const price = { input: 1_000_000, output: 1_000_000, cacheRead: 0, cacheWrite: 0 }
const readOf = (usage: Usage | undefined) =>
  usage === undefined ? 0 : usage.input + usage.cacheRead + usage.cacheWrite

test("[TU7] counts an attempt that was made again, and says that its output is an estimate", () => {
  open({ price })
  const session = stage.create()
  const text = "abcdefghijklmnopqrstuvwxyz"
  stage.replies.push({
    blocks: [{ type: "text", text }],
    chunkChars: 1,
    fault: { kind: "cut", afterDeltas: 14 },
  })
  stage.converse(session, "Hello")
  const ledger = stage.turns(session)[0]?.settled?.ledger
  const [first, second] = ledger?.attempts ?? []
  expect(first).toMatchObject({ accuracy: "estimated", usage: { output: 4 } })
  expect(readOf(first?.usage)).toBeGreaterThan(0)
  expect(second).not.toHaveProperty("accuracy")
  expect(readOf(ledger?.usage)).toBe(readOf(first?.usage) + readOf(second?.usage))
  expect(ledger).toMatchObject({
    accuracy: "estimated",
    usage: { output: 4 + (second?.usage?.output ?? 0) },
  })
  expect(ledger?.cost).toBeCloseTo((ledger?.usage.input ?? 0) + (ledger?.usage.output ?? 0))
  const { usage, accuracy, cost } = stage.ask((runtime) => runtime.result(session))
  expect({ usage, accuracy, cost }).toEqual({
    usage: ledger?.usage,
    accuracy: "estimated",
    cost: ledger?.cost,
  })
  expect(stage.ask((runtime) => runtime.request(session)).cost).toEqual({
    lastTurn: cost,
    session: cost,
    accuracy: { lastTurn: "estimated", session: "estimated" },
  })
})

test("[TU7] counts what had come of an answer that somebody interrupted", () => {
  open({ price })
  const session = stage.create()
  stage.replies.push({ blocks: [{ type: "text", text: "x".repeat(400) }], chunkChars: 35, delayMs: 100 })
  stage.prompt(session, "Hello")
  stage.until(() => stage.live.filter(({ type }) => type === "text-delta").length === 4)
  stage.ask((runtime) => runtime.interrupt(session))
  stage.settle(session)
  const ledger = stage.turns(session)[0]?.settled?.ledger
  expect(ledger).toMatchObject({
    accuracy: "estimated",
    usage: { output: 40 },
    attempts: [{ failure: { code: "interrupted" }, accuracy: "estimated" }],
  })
  expect(ledger?.cost).toBeGreaterThan(40)
})

test("[TU7] says that it does not know what a request used that was stopped before its answer", () => {
  open({ price })
  const session = stage.create()
  stage.replies.push({ blocks: [], firstByteMs: 60_000 })
  stage.prompt(session, "Hello")
  stage.until(() => stage.sent.length === 1)
  stage.ask((runtime) => runtime.interrupt(session))
  stage.settle(session)
  expect(stage.turns(session)[0]?.settled?.ledger).toMatchObject({ accuracy: "incomplete", cost: null })
})

test("[TU7] says that it does not know what a turn used whose process was killed, and so of every sum", () => {
  open({ price })
  const session = stage.create()
  stage.prompt(session, "Hello")
  stage.until(() => stage.sent.length === 1)
  stage.kill()
  stage.boot()
  stage.resume(session)
  const [killed, resumed] = stage.turns(session).map(({ settled }) => settled?.ledger)
  expect(killed).toMatchObject({ accuracy: "incomplete", cost: null, attempts: [], atLeast: true })
  expect(resumed).not.toHaveProperty("atLeast")
  expect(resumed).not.toHaveProperty("accuracy")
  const result = stage.ask((runtime) => runtime.result(session))
  expect(result).toMatchObject({ accuracy: "incomplete", cost: null, usage: resumed?.usage })
  const row = stage.ask((_, store) => store.session(session))
  expect(row).toMatchObject({ accuracy: "incomplete", cost: null, lastAccuracy: "exact" })
})

test("[TU7] counts nothing for a request that the provider refused", () => {
  open({ price })
  const session = stage.create()
  stage.replies.push({ blocks: [], fault: { kind: "unauthorized" } })
  stage.converse(session, "Hello")
  const ledger = stage.turns(session)[0]?.settled?.ledger
  expect(ledger).toMatchObject({ cost: 0, usage: { input: 0, output: 0 } })
  expect(ledger).not.toHaveProperty("accuracy")
})

test("[TU6] measures by the last attempt, not by all attempts of a turn together", () => {
  open({ contextTokens: 4_000 })
  const session = stage.create()
  const long = "word ".repeat(1_500)
  for (let n = 0; n < 3; n++)
    stage.replies.push({
      blocks: [{ type: "text", text: "ab" }],
      chunkChars: 1,
      fault: { kind: "cut", afterDeltas: 1 },
    })
  stage.converse(session, long)
  stage.converse(session, "And then?")
  expect(stage.facts(session, "pass.applied").filter(({ reason }) => reason.startsWith("cut_"))).toEqual([])
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

/** The first turn as another version of the program would have left it. */
function sentByAnother(session: string, sameBytes: boolean): void {
  const { encoder = "", prefixHash = "" } = stage.turns(session as never)[0]?.started.request ?? {}
  tamper("turn.started", `"encoder":"${encoder}"`, '"encoder":"older"', true)
  if (!sameBytes) tamper("turn.started", prefixHash, "0".repeat(prefixHash.length), true)
  stage.restart()
}
const passes = (session: string) =>
  stage.turns(session as never).map(({ started }) => [started.pass, started.break?.reason ?? null])

test("[TU7 PS7] names a new version of the encoder as the cause of a break, once", () => {
  open()
  const session = stage.create()
  stage.converse(session, "One")
  sentByAnother(session, false)
  stage.converse(session, "Two")
  stage.converse(session, "Three")
  expect(passes(session)).toEqual([
    ["fold", null],
    ["refresh", "encoder_changed"],
    ["hold", null],
  ])
  expect(stage.facts(session, "pass.applied").map(({ reason }) => reason)).toEqual([
    "first",
    "encoder_changed",
  ])
  const [, second] = stage.turns(session)
  expect(second?.started).toMatchObject({ break: { block: 0, segment: "agent" }, cacheExpected: 0 })
})

test("[PS2 TU7] holds where a new version of the encoder writes the same bytes", () => {
  open()
  const session = stage.create()
  stage.converse(session, "One")
  sentByAnother(session, true)
  stage.converse(session, "Two")
  expect(passes(session)).toEqual([
    ["fold", null],
    ["hold", null],
  ])
})

test("[TU7] says that it does not know what the request before was, where the log no longer tells", () => {
  open()
  const session = stage.create()
  stage.converse(session, "One")
  stage.converse(session, "Two")
  tamper("prompt.admitted", "One", "Own", true)
  stage.restart()
  stage.converse(session, "Three")
  expect(passes(session).at(-1)).toEqual(["refresh", "previous_unknown"])
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

test("[TU7] the row of a killed turn has the attempt that was answering, and lasts to its last checkpoint", () => {
  open({ price })
  const session = stage.create()
  stage.replies.push({ blocks: [{ type: "text", text: "x".repeat(400) }], chunkChars: 10, delayMs: 500 })
  stage.prompt(session, "Hello")
  stage.until(() => stage.live.filter(({ type }) => type === "text-delta").length === 12)
  stage.kill()
  stage.boot()
  stage.settle(session)
  const ledger = stage.turns(session)[0]?.settled?.ledger
  expect(ledger).toMatchObject({
    attempts: [{ failure: { code: "process_ended" }, waitMs: 0, accuracy: "incomplete" }],
    atLeast: true,
  })
  // Twelve pieces took six seconds; the newest checkpoint is at most a second old.
  expect(ledger?.durationMs).toBeGreaterThanOrEqual(4_500)
  expect(ledger?.durationMs).toBeLessThanOrEqual(7_000)
})
