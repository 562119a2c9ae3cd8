import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import { unavailable } from "@holdfast/core/context/index"
import { instructionsSource } from "@holdfast/core/instructions/index"
import type { SessionId } from "@holdfast/schema/id"
import { usageNone } from "@holdfast/schema/model"
import { FactSource } from "./fact-source.ts"
import { Stage, stageAgentPrompt, type StageOptions } from "./harness.ts"
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

test("[PS5 HB3] folds once and deep where a request reaches the threshold, and replays it unchanged", () => {
  const session = open()
  for (let n = 0; n < 5; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  expect(cuts(session)).toHaveLength(1)
  const [cut] = cuts(session)
  expect(cut).toMatchObject({ pass: "fold", reason: "cut_threshold" })
  expect(cut?.tokensBefore).toBeGreaterThan(19_000 * 0.65)
  expect(cut?.tokensBefore).toBeLessThan(19_000)
  expect(cut?.tokensAfter).toBeLessThanOrEqual(19_000 * 0.5)
  const at = stage.sent.findIndex(({ lines }) => !lines[0]?.startsWith("user: Prompt 0"))
  const [after, later] = [stage.sent[at], stage.sent[at + 1]]
  expect(after?.lines[0]).toMatch(
    /^user: <notice from="runtime">\nEarlier parts of this conversation, up to message #\d+, .*\n## c1-\d+\nU #\d+ "Prompt 0 word/,
  )
  expect(after?.lines.at(-1)).toMatch(/^user: Prompt \d/)
  expect(later?.lines.slice(0, after?.lines.length)).toEqual(after?.lines)
  expect(stage.provider.log.every(({ status }) => status === 200)).toBe(true)
})

test("[TU6] replays a cut after a restart as the same bytes", () => {
  const session = open()
  for (let n = 0; n < 5; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
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
  for (let n = 0; n < 5; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  expect(cuts(session)).toHaveLength(1)
  expect(stage.facts(session, "epoch.started").map(({ cause }) => cause)).toEqual(["first", "compaction"])
  const last = stage.sent.at(-1)
  expect(last?.lines).not.toContain(saidBySystem("sim/fact is now two."))
  expect(last?.raw).toContain("sim/fact is two.")
  expect(last?.raw).not.toContain("sim/fact is one.")
  expect(last?.lines).not.toContain("user: Second")
  expect(last?.lines.at(-1)).toMatch(/^user: Prompt 4/)
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
  for (let n = 0; n < 5; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  expect(cuts(session)).toHaveLength(1)
  expect(stage.facts(session, "epoch.started")).toHaveLength(1)
  const blocked = stage.sent.at(-1)
  expect(blocked?.lines[1]).toMatch(/^user: <notice from="runtime">[^]*sim\/fact is now three\.\n<\/notice>$/)
  expect(blocked?.raw).not.toContain("sim/fact is now two.")
  other.value = "calm"
  stage.converse(session, "Still the same prefix")
  expect(stage.sent.at(-1)?.lines.slice(0, blocked?.lines.length)).toEqual(blocked?.lines)
  for (let n = 0; n < 3; n++) stage.converse(session, long(`Later ${n}`, 14_000))
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
  expect(stage.sent[1]?.lines).toContainEqual(expect.stringMatching(/^result: \[dropped §\d+§\]$/))
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
  for (const cut of later)
    expect(cut).toMatchObject({ reason: expect.stringMatching(/^cut_(threshold|forced)$/) })
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

const unsaid = {
  kind: "refused",
  status: 400,
  type: "invalid_request_error",
  message: "Der Kontext ist zu gross.",
} as const
const grow = (session: SessionId, prompts: number, chars = 14_000) => {
  for (let n = 0; n < prompts; n++) stage.converse(session, long(`Prompt ${n}`, chars))
}

test("[TU5] a refusal in unknown words of a request that grew is tried once more, reduced; taken, it teaches", () => {
  const session = open({ contextTokens: 200_000 })
  grow(session, 4)
  const { input, cacheRead, cacheWrite } = stage.turns(session).at(-1)?.settled?.ledger.usage ?? usageNone
  const accepted = input + cacheRead + cacheWrite
  stage.replies.push({ blocks: [], fault: unsaid })
  expect(stage.converse(session, "Five")).toEqual({ kind: "done" })
  expect(cuts(session)).toMatchObject([{ reason: "cut_refusal" }])
  expect(stage.sent).toHaveLength(6)
  expect(stage.turns(session).map(({ settled }) => settled?.status)).toEqual([
    ...Array.from({ length: 4 }, () => "done"),
    "failed",
    "done",
  ])
  const [{ contextTokens = 0 } = {}] = learned(session)
  expect(contextTokens).toBeGreaterThanOrEqual(accepted)
  expect(contextTokens).toBeLessThan(accepted + 3_000)
  expect(stage.verdicts(session).every((verdict) => verdict === "same")).toBe(true)
})

test("[TU5] a refusal that reduction does not mend teaches nothing, and no resume cuts again", () => {
  const session = open({ contextTokens: 200_000 })
  grow(session, 4)
  stage.replies.push(...Array.from({ length: 3 }, () => ({ blocks: [], fault: unsaid })))
  expect(stage.converse(session, "Five")).toMatchObject({
    kind: "failed",
    reason: { code: "invalid_request" },
  })
  expect(stage.sent).toHaveLength(6)
  expect(stage.resume(session)).toMatchObject({ kind: "failed", reason: { code: "invalid_request" } })
  expect(stage.sent).toHaveLength(7)
  expect(cuts(session)).toHaveLength(1)
  expect(learned(session)).toEqual([])
  expect(stage.resume(session)).toEqual({ kind: "done" })
})

test("[TU5] a refusal that names a role or a tool cuts nothing and teaches nothing", () => {
  const session = open({ contextTokens: 200_000 })
  grow(session, 4)
  const other = { ...unsaid, message: 'Unexpected role "system". Allowed roles: user, assistant.' }
  stage.replies.push({ blocks: [], fault: other })
  expect(stage.converse(session, "Five")).toMatchObject({
    kind: "failed",
    reason: { code: "invalid_request", message: expect.stringContaining("Unexpected role") },
  })
  expect(stage.sent).toHaveLength(5)
  expect([cuts(session), learned(session)]).toEqual([[], []])
  expect(stage.resume(session)).toEqual({ kind: "done" })
})

test("[TU5] a refusal of a small request, or of one that cannot be reduced, is told as it was said", () => {
  const session = open({ contextTokens: 200_000 })
  stage.converse(session, "One")
  stage.replies.push({ blocks: [], fault: unsaid })
  expect(stage.converse(session, "Two")).toMatchObject({
    kind: "failed",
    reason: { code: "invalid_request" },
  })
  expect(stage.sent).toHaveLength(2)
  const other = stage.create()
  stage.replies.push({ blocks: [], fault: unsaid })
  expect(stage.converse(other, long("Huge", 60_000))).toMatchObject({
    kind: "failed",
    reason: { code: "invalid_request", message: expect.stringContaining("Der Kontext") },
  })
  expect(stage.sent).toHaveLength(3)
  expect(stage.turns(other)).toHaveLength(1)
})

test("[TU5] what one Session learned of a model holds for every Session of it, for a month", () => {
  const session = open({ contextTokens: 200_000, windowTokens: 20_000 })
  grow(session, 14, 8_000)
  expect(learned(session)).toMatchObject([{ contextTokens: 20_000 }])
  const other = stage.create()
  stage.restart()
  const refused = stage.provider.log.filter(({ status }) => status !== 200).length
  grow(other, 14, 8_000)
  expect(cuts(other)[0]).toMatchObject({ reason: "cut_threshold" })
  expect(learned(other)).toEqual([])
  expect(stage.provider.log.filter(({ status }) => status !== 200)).toHaveLength(refused)
  const limitOf = (id: SessionId) => stage.ask((runtime) => runtime.request(id)).limit?.contextTokens
  expect(limitOf(other)).toBe(20_000)
  stage.pass(31 * 86_400_000)
  expect(limitOf(stage.create())).toBe(200_000)
})

test("[TU5] a limit that was learned by a guess never fails a prompt that the model takes, and is raised by it", () => {
  const session = open({ contextTokens: 200_000, windowTokens: 60_000 })
  grow(session, 4)
  stage.replies.push({ blocks: [], fault: unsaid })
  stage.converse(session, "Five")
  const [{ contextTokens: guessed = 0 } = {}] = learned(session)
  expect(guessed).toBeLessThan(25_000)
  const other = stage.create()
  expect(stage.converse(other, long("Large", 160_000))).toEqual({ kind: "done" })
  expect(learned(other)[0]?.contextTokens).toBeGreaterThan(40_000)
  const third = stage.create()
  expect(stage.converse(third, long("Larger than any", 300_000))).toMatchObject({
    kind: "failed",
    reason: { code: "window_exceeded" },
  })
  const limitOf = (id: SessionId) => stage.ask((runtime) => runtime.request(id)).limit?.contextTokens
  expect(limitOf(stage.create())).toBeGreaterThan(40_000)
})

test("[TU5] a second overflow says what was tried and what is left to do", () => {
  const session = open()
  grow(session, 3, 8_000)
  stage.replies.push({ blocks: [], fault: { kind: "overflow" } }, { blocks: [], fault: { kind: "overflow" } })
  stage.converse(session, "Four")
  expect(stage.status(session).reason?.message).toMatch(
    /It was cut to about \d+ tokens before\. Choose a model with a larger window, or ask for a further cut: holdfast fold ses_/,
  )
})

test("[TU6] an overflow that cannot be reduced names the largest part of what is left", () => {
  const session = open({ contextTokens: 200_000, windowTokens: 20_000 })
  expect(stage.converse(session, long("Huge", 90_000))).toMatchObject({
    kind: "failed",
    reason: {
      code: "window_exceeded",
      message: expect.stringMatching(
        /^The provider refused the request as too long, and what is left of it cannot be reduced: .*newest input \d+ tokens\. Shorten the newest input, or choose a model/,
      ),
    },
  })
})

test("[TU6] a person can ask for a cut at any time; the next request makes it, once, across restarts", () => {
  const session = open({ contextTokens: 200_000 })
  grow(session, 3)
  const before = stage.ask((runtime) => runtime.request(session)).tokens
  stage.ask((runtime) => runtime.fold(session))
  const planned = stage.ask((runtime) => runtime.request(session)).tokens
  expect(planned).toBeLessThanOrEqual(before / 2)
  stage.restart()
  stage.converse(session, "Short")
  expect(cuts(session)).toMatchObject([{ reason: "cut_asked" }])
  expect(stage.sent.at(-1)?.lines.at(-1)).toBe("user: Short")
  stage.converse(session, "Shorter")
  expect(cuts(session)).toHaveLength(1)
  expect(learned(session)).toEqual([])
  expect(stage.verdicts(session).every((verdict) => verdict === "same")).toBe(true)
})

test("[IN5] after ten cuts the request holds instructions and agent prompt once each", () => {
  const canary = "The canary of this project is yellow."
  let text = canary
  const instructions = instructionsSource({
    project: Effect.succeed({ directory: "/project", root: "/project", repository: "none" }),
    configDirectory: "/config",
    files: {
      read: (path) =>
        Effect.sync(() =>
          path === "/project/AGENTS.md" ? ({ kind: "text", text } as const) : ({ kind: "missing" } as const),
        ),
      realPaths: (paths) => Effect.succeed(paths),
      names: (directories) => Effect.succeed(directories.map(() => [])),
    },
  })
  const session = open({ sources: [{ context: () => instructions }] })
  const times = (words: string) => (stage.sent.at(-1)?.raw.split(words).length ?? 0) - 1
  for (let n = 0; cuts(session).length < 10; n++) {
    expect(stage.converse(session, long(`Prompt ${n}`, 14_000))).toEqual({ kind: "done" })
    expect([times(canary), times(stageAgentPrompt)]).toEqual([1, 1])
  }
  text = "The canary is green."
  stage.restart()
  stage.ask((runtime) => runtime.fold(session))
  stage.converse(session, "And now?")
  expect([times(canary), times("The canary is green."), times(stageAgentPrompt)]).toEqual([0, 1, 1])
})
