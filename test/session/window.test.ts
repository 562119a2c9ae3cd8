import { afterEach, expect, test } from "vitest"
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
const reductions = (session: string) =>
  stage
    .ask((runtime) => runtime.events(session, 0, 1_000, false))
    .flatMap(({ fact }) => (fact.type === "reduction.applied" ? [fact.reduction] : []))

test("[TU6] cuts once and deep before a request would pass the ceiling, and replays the cut unchanged", () => {
  const session = open()
  for (let n = 0; n < 7; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  const cuts = reductions(session)
  expect(cuts).toHaveLength(1)
  const [cut] = cuts
  expect(cut).toMatchObject({ reason: "ceiling", outputsCut: [] })
  expect(cut?.tokensBefore).toBeGreaterThan(19_000 * 0.9)
  expect(cut?.tokensAfter).toBeLessThanOrEqual(20_000 * 0.3 * 1.25)
  const at = stage.sent.findIndex(({ lines }) => !lines[0]?.startsWith("user: Prompt 0"))
  const [after, later] = [stage.sent[at], stage.sent[at + 1]]
  expect(after?.lines[0]).toMatch(/^user: <notice from="runtime">\n\d+ earlier messages/)
  expect(after?.lines.at(-1)).toMatch(/^user: Prompt \d/)
  expect(later?.lines.slice(0, after?.lines.length)).toEqual(after?.lines)
  expect(stage.provider.log.every(({ status }) => status === 200)).toBe(true)
})

test("[TU6] replays a cut after a restart as the same bytes", () => {
  const session = open()
  for (let n = 0; n < 6; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  expect(reductions(session)).toHaveLength(1)
  const before = stage.sent.at(-1)
  stage.restart()
  stage.converse(session, "Short")
  expect(reductions(session)).toHaveLength(1)
  expect(stage.sent.at(-1)?.lines.slice(0, before?.lines.length)).toEqual(before?.lines)
  expect(
    stage.ask((runtime) => runtime.verify(session)).every(({ verdict }) => verdict.kind === "same"),
  ).toBe(true)
})

test("[TU6] never removes a system message of the Epoch or the newest input", () => {
  const fact = new FactSource("sim/fact", "one")
  const session = open({ sources: [fact] })
  stage.converse(session, "First")
  fact.value = "two"
  stage.converse(session, "Second")
  for (let n = 0; n < 6; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  expect(reductions(session)).toHaveLength(1)
  const last = stage.sent.at(-1)
  expect(last?.lines).toContain(saidBySystem("sim/fact is now two."))
  expect(last?.lines).not.toContain("user: Second")
  expect(last?.lines.at(-1)).toMatch(/^user: Prompt 5/)
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
  expect(reductions(session)).toMatchObject([{ outputsCut: [expect.stringMatching(/^call_/)] }])
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
  expect(reductions(session)).toMatchObject([{ reason: "overflow" }])
  expect(stage.sent).toHaveLength(5)
  for (let n = 0; n < 3; n++) stage.converse(session, long(`Later ${n}`, 8_000))
  stage.replies.push({ blocks: [], fault: { kind: "overflow" } }, { blocks: [], fault: { kind: "overflow" } })
  expect(stage.converse(session, "Five")).toMatchObject({
    kind: "failed",
    reason: { code: "context_overflow" },
  })
  expect(stage.sent).toHaveLength(10)
  expect(reductions(session).filter(({ reason }) => reason === "overflow")).toHaveLength(2)
})

test("[TU5] reduces after an overflow although its own estimate sees room to spare", () => {
  const session = open({ contextTokens: 200_000 })
  for (let n = 0; n < 6; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  stage.replies.push({ blocks: [], fault: { kind: "overflow", tokens: 24_000, tokensMax: 20_000 } })
  expect(stage.converse(session, "Seven")).toEqual({ kind: "done" })
  expect(reductions(session)).toMatchObject([{ reason: "overflow" }])
})

test("[TU5] a window that is smaller than believed is refused once, learned, and kept over a restart", () => {
  const session = open({ contextTokens: 200_000, windowTokens: 20_000 })
  for (let n = 0; n < 32; n++) {
    if (n === 12) stage.restart()
    expect(stage.converse(session, long(`Prompt ${n}`, 8_000))).toEqual({ kind: "done" })
  }
  const model = { provider: "sim", model: "script" }
  const [first, ...later] = reductions(session)
  expect(first).toMatchObject({ reason: "overflow", learned: { model, contextTokens: 20_000 } })
  expect(later.length).toBeGreaterThan(1)
  for (const cut of later) expect(cut).toMatchObject({ reason: "ceiling" })
  expect(stage.provider.log.filter(({ status }) => status !== 200)).toHaveLength(1)
  const { limit } = stage.ask((runtime) => runtime.request(session))
  expect(limit?.contextTokens).toBe(20_000)
})

test("[TU5] what one model refused says nothing about another", () => {
  const session = open({ contextTokens: 20_000 })
  for (let n = 0; n < 3; n++) stage.converse(session, long(`Prompt ${n}`, 8_000))
  stage.replies.push({ blocks: [], fault: { kind: "overflow", tokens: 9_000, tokensMax: 8_000 } })
  stage.converse(session, "Four")
  expect(reductions(session)).toMatchObject([{ learned: { contextTokens: 8_000 } }])
  const time = stage.world.nowMs
  const model = { provider: "sim", model: "other" }
  stage.ask((_, store) =>
    store.commit({ kind: "update-session", session, time, fact: { type: "session.updated", model } }),
  )
  const { limit } = stage.ask((runtime) => runtime.request(session))
  expect(limit?.contextTokens).toBe(20_000)
})

test("[TU5] a body of too many bytes is reduced once, too, and teaches nothing", () => {
  const session = open()
  for (let n = 0; n < 3; n++) stage.converse(session, long(`Prompt ${n}`, 8_000))
  stage.replies.push({ blocks: [], fault: { kind: "error-not-json", status: 413 } })
  expect(stage.converse(session, "Four")).toEqual({ kind: "done" })
  expect(reductions(session)).toMatchObject([{ reason: "overflow" }])
  expect(reductions(session)[0]?.learned).toBeUndefined()
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
  expect(reductions(session)).toHaveLength(1)
})
