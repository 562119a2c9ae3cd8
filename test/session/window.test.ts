import { afterEach, expect, test } from "vitest"
import { unavailable } from "@holdfast/core/context/index"
import type { SessionId } from "@holdfast/schema/id"
import { FactSource } from "./fact-source.ts"
import { Stage, type StageOptions } from "./harness.ts"
import { saidBySystem } from "./sent-request.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const open = (options: StageOptions = {}) => {
  stage = new Stage({ contextTokens: 20_000, ...options })
  return stage.create()
}
afterEach(() => stage.close())

const long = (mark: string, chars: number) => `${mark} ${"word ".repeat(chars / 5)}`
const cuts = (session: SessionId) =>
  stage.facts(session, "pass.applied").filter(({ reason }) => reason.startsWith("cut_"))
const learned = (session: SessionId) => stage.facts(session, "limit.learned")

test("[TU6] cuts once and deep before a request would pass the ceiling, and replays the cut unchanged", () => {
  const session = open()
  for (let n = 0; n < 7; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  expect(cuts(session)).toHaveLength(1)
  const [cut] = cuts(session)
  expect(cut).toMatchObject({ pass: "fold", reason: "cut_ceiling" })
  expect(cut?.tokensBefore).toBeGreaterThan(19_000 * 0.9)
  expect(cut?.tokensAfter).toBeLessThanOrEqual(20_000 * 0.3 * 1.25)
  const at = stage.sent.findIndex(({ lines }) => !lines[0]?.startsWith("user: Prompt 0"))
  const [after, later] = [stage.sent[at], stage.sent[at + 1]]
  expect(after?.lines[0]).toMatch(
    /^user: <notice from="runtime">\nEarlier parts of this conversation are not shown, .*: \d+ messages of the user, \d+ answers\./,
  )
  expect(after?.lines.at(-1)).toMatch(/^user: Prompt \d/)
  expect(later?.lines.slice(0, after?.lines.length)).toEqual(after?.lines)
  expect(stage.provider.log.every(({ status }) => status === 200)).toBe(true)
})

test("[TU6] replays a cut after a restart as the same bytes", () => {
  const session = open()
  for (let n = 0; n < 6; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  expect(cuts(session)).toHaveLength(1)
  const before = stage.sent.at(-1)
  stage.restart()
  stage.converse(session, "Short")
  expect(cuts(session)).toHaveLength(1)
  expect(stage.sent.at(-1)?.lines.slice(0, before?.lines.length)).toEqual(before?.lines)
  expect(
    stage.ask((runtime) => runtime.verify(session)).every(({ verdict }) => verdict.kind === "same"),
  ).toBe(true)
})

test("[TU6 EP7] a cut ends the Epoch: a fresh Baseline says what system messages said, and the newest input stays", () => {
  const fact = new FactSource("sim/fact", "one")
  const session = open({ sources: [fact] })
  stage.converse(session, "First")
  fact.value = "two"
  stage.converse(session, "Second")
  for (let n = 0; n < 6; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  expect(cuts(session)).toHaveLength(1)
  expect(stage.facts(session, "epoch.started").map(({ cause }) => cause)).toEqual(["first", "compaction"])
  const last = stage.sent.at(-1)
  expect(last?.lines).not.toContain(saidBySystem("sim/fact is now two."))
  expect(last?.raw).toContain("sim/fact is two.")
  expect(last?.raw).not.toContain("sim/fact is one.")
  expect(last?.lines).not.toContain("user: Second")
  expect(last?.lines.at(-1)).toMatch(/^user: Prompt 5/)
})

test("[TU6 EP7] many updates of a long source never fill the window", () => {
  const fact = new FactSource("sim/fact", "edit 0")
  const session = open({ sources: [fact], contextTokens: 30_000 })
  for (let n = 1; n <= 20; n++) {
    fact.value = `edit ${n} ${"word ".repeat(2_600)}`
    expect(stage.converse(session, `Prompt ${n}`)).toEqual({ kind: "done" })
    expect(stage.sent.at(-1)?.raw).toContain(`edit ${n} `)
  }
  expect(cuts(session).length).toBeGreaterThan(1)
  expect(stage.provider.log.every(({ status }) => status === 200)).toBe(true)
})

test("[TU6 EP8 EP12] where replacement is blocked the updates stand in the Delta, and the next break settles them", () => {
  const fact = new FactSource("sim/fact", "one")
  const other = new FactSource("sim/other", "calm")
  const session = open({ sources: [fact, other] })
  stage.converse(session, "First")
  fact.value = "two"
  stage.converse(session, "Second")
  fact.value = "three"
  stage.converse(session, "Third")
  other.value = unavailable
  for (let n = 0; n < 6; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  expect(cuts(session)).toHaveLength(1)
  expect(stage.facts(session, "epoch.started")).toHaveLength(1)
  const blocked = stage.sent.at(-1)
  expect(blocked?.lines[0]).toMatch(/^user: <notice from="runtime">[^]*sim\/fact is now three\.\n<\/notice>$/)
  expect(blocked?.raw).not.toContain("sim/fact is now two.")
  other.value = "calm"
  stage.converse(session, "Still the same prefix")
  expect(stage.sent.at(-1)?.lines.slice(0, blocked?.lines.length)).toEqual(blocked?.lines)
  for (let n = 0; n < 6; n++) stage.converse(session, long(`Later ${n}`, 14_000))
  expect(stage.facts(session, "epoch.started").map(({ cause }) => cause)).toEqual(["first", "compaction"])
  expect(stage.sent.at(-1)?.raw).toContain("sim/fact is three.")
  expect(stage.sent.at(-1)?.raw).not.toContain("sim/fact is now")
  expect(
    stage.ask((runtime) => runtime.verify(session)).every(({ verdict }) => verdict.kind === "same"),
  ).toBe(true)
})

test("[TU6] fails typed, and sends nothing, when what cannot be reduced exceeds the ceiling", () => {
  const session = open()
  const end = stage.converse(session, long("Huge", 90_000))
  expect(end).toMatchObject({ kind: "failed", reason: { code: "window_exceeded" } })
  expect(stage.status(session).reason?.message).toMatch(/newest input \d+ tokens/)
  expect(stage.sent).toHaveLength(0)
  expect(stage.turns(session)).toHaveLength(1)
  expect(stage.turns(session)[0]?.settled).toMatchObject({ status: "failed" })
})

test("[TU6] cuts tool output of the newest answer when nothing older is left to cut", () => {
  const tools = [workTool(() => {}, { text: long("Output", 49_000) })]
  const session = open({ tools, contextTokens: 12_000 })
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: {} }] })
  expect(stage.converse(session, "Read it")).toEqual({ kind: "done" })
  expect(cuts(session)[0]?.ops).toContainEqual({
    op: "drop",
    unit: { message: expect.stringMatching(/^msg_/), call: expect.stringMatching(/^call_/) },
    leaves: "skeleton",
  })
  expect(stage.sent[1]?.lines).toContain("call: work")
  expect(stage.sent[1]?.lines).toContain(
    "result: [output removed to keep the conversation inside the window]",
  )
})

test("[TU5] reduces once after an overflow and makes one more attempt, then fails typed", () => {
  const session = open()
  for (let n = 0; n < 3; n++) stage.converse(session, long(`Prompt ${n}`, 8_000))
  stage.replies.push({ blocks: [], fault: { kind: "overflow" } })
  expect(stage.converse(session, "Four")).toEqual({ kind: "done" })
  expect(cuts(session)).toMatchObject([{ reason: "cut_overflow" }])
  expect(stage.sent).toHaveLength(5)
  for (let n = 0; n < 3; n++) stage.converse(session, long(`Later ${n}`, 8_000))
  stage.replies.push({ blocks: [], fault: { kind: "overflow" } }, { blocks: [], fault: { kind: "overflow" } })
  expect(stage.converse(session, "Five")).toMatchObject({
    kind: "failed",
    reason: { code: "context_overflow" },
  })
  expect(stage.sent).toHaveLength(10)
  expect(cuts(session).filter(({ reason }) => reason === "cut_overflow")).toHaveLength(2)
})

test("[TU5] reduces after an overflow although its own estimate sees room to spare", () => {
  const session = open({ contextTokens: 200_000 })
  for (let n = 0; n < 6; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  stage.replies.push({ blocks: [], fault: { kind: "overflow", tokens: 24_000, tokensMax: 20_000 } })
  expect(stage.converse(session, "Seven")).toEqual({ kind: "done" })
  expect(cuts(session)).toMatchObject([{ reason: "cut_overflow" }])
})

test("[TU5] a window that is smaller than believed is refused once, learned, and kept over a restart", () => {
  const session = open({ contextTokens: 200_000, windowTokens: 20_000 })
  for (let n = 0; n < 32; n++) {
    if (n === 12) stage.restart()
    expect(stage.converse(session, long(`Prompt ${n}`, 8_000))).toEqual({ kind: "done" })
  }
  const model = { provider: "sim", model: "script" }
  const [first, ...later] = cuts(session)
  expect(first).toMatchObject({ reason: "cut_overflow" })
  expect(learned(session)).toMatchObject([{ model, contextTokens: 20_000 }])
  expect(later.length).toBeGreaterThan(1)
  for (const cut of later) expect(cut).toMatchObject({ reason: "cut_ceiling" })
  expect(stage.provider.log.filter(({ status }) => status !== 200)).toHaveLength(1)
  const { limit } = stage.ask((runtime) => runtime.request(session))
  expect(limit?.contextTokens).toBe(20_000)
})

test("[TU5] what one model refused says nothing about another", () => {
  const session = open({ contextTokens: 20_000 })
  for (let n = 0; n < 3; n++) stage.converse(session, long(`Prompt ${n}`, 8_000))
  stage.replies.push({ blocks: [], fault: { kind: "overflow", tokens: 9_000, tokensMax: 8_000 } })
  stage.converse(session, "Four")
  expect(learned(session)).toMatchObject([{ contextTokens: 8_000 }])
  const time = stage.world.nowMs
  const model = { provider: "sim", model: "other" }
  stage.ask((_, store) =>
    store.commit({ kind: "contribute", session, time, fact: { type: "session.updated", model } }),
  )
  const { limit } = stage.ask((runtime) => runtime.request(session))
  expect(limit?.contextTokens).toBe(20_000)
})

test("[TU5] a body of too many bytes is reduced once, too, and teaches nothing", () => {
  const session = open()
  for (let n = 0; n < 3; n++) stage.converse(session, long(`Prompt ${n}`, 8_000))
  stage.replies.push({ blocks: [], fault: { kind: "error-not-json", status: 413 } })
  expect(stage.converse(session, "Four")).toEqual({ kind: "done" })
  expect(cuts(session)).toMatchObject([{ reason: "cut_overflow" }])
  expect(learned(session)).toEqual([])
})

test("[TU5] reduces once for one overflow, although the next stream breaks and a turn is opened anew", () => {
  const session = open()
  for (let n = 0; n < 4; n++) stage.converse(session, long(`Prompt ${n}`, 8_000))
  stage.replies.push(
    { blocks: [], fault: { kind: "overflow" } },
    {
      blocks: [{ type: "text", text: "abcdefghij" }],
      chunkChars: 1,
      delayMs: 400,
      fault: { kind: "cut", afterDeltas: 5 },
    },
  )
  expect(stage.converse(session, "Go on")).toEqual({ kind: "done" })
  expect(stage.turns(session).slice(4)).toHaveLength(3)
  expect(cuts(session)).toHaveLength(1)
})
