import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { SimFrame } from "@holdfast/provider-sim"
import type { SessionId } from "@holdfast/schema/id"
import type { StageAgent } from "../stage/ports.ts"
import { Stage, type StageOptions } from "./harness.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const open = (options: StageOptions = {}) => (stage = new Stage(options))
afterEach(() => stage.close())

const note = (line: string) => void stage.journal.push(line)
const starts = () => stage.journal.filter((line) => line.startsWith("start"))

test("[DR4 DR5] settles open calls as interrupted with unknown outcome before the next request", () => {
  open({
    tools: [
      workTool(note, { name: "check", ms: 60_000, repeatable: true, readOnly: true }),
      workTool(note, { name: "work", ms: 60_000, readOnly: true }),
    ],
  })
  const session = stage.create()
  stage.replies.push({
    blocks: [
      { type: "tool_use", name: "check", input: {} },
      { type: "tool_use", name: "work", input: {} },
    ],
  })
  stage.prompt(session, "Hello")
  stage.until(() => starts().length === 2)
  stage.kill()
  stage.boot()
  stage.settle(session)
  const outcomes = stage.facts(session, "call.settled").map(({ outcome }) => outcome)
  expect(outcomes.map(({ state, errorCode }) => [state, errorCode])).toEqual([
    ["interrupted", "outcome_unknown"],
    ["interrupted", "outcome_unknown"],
  ])
  expect(outcomes[0]?.output).toMatch(/^Outcome unknown; safe to repeat\./)
  expect(outcomes[1]?.output).toMatch(/^Outcome unknown; check before repeating\./)
  expect(stage.endedCalls).toHaveLength(2)
  stage.resume(session)
  expect(stage.sent[1]?.lines).toEqual([
    "user: Hello",
    "call: check",
    "call: work",
    `failed: ${outcomes[0]?.output}`,
    `failed: ${outcomes[1]?.output}`,
  ])
  expect(starts()).toHaveLength(2)
})

test("[DR4 DR5] a call that is safe to repeat is so too where its agent is gone", () => {
  const agents: Record<string, StageAgent> = { build: {} }
  const tools = [workTool(note, { name: "check", ms: 60_000, repeatable: true })]
  open({ agents, tools })
  const session = stage.create()
  stage.replies.push({ blocks: [{ type: "tool_use", name: "check", input: {} }] })
  stage.prompt(session, "Hello")
  stage.until(() => starts().length === 1)
  stage.kill()
  delete agents["build"]
  stage.boot()
  stage.settle(session)
  expect(stage.facts(session, "call.settled").map(({ outcome }) => outcome.output)).toEqual([
    expect.stringMatching(/^Outcome unknown; safe to repeat\./),
  ])
})

test("[DR4 TU2] says of a call that waited for another that it never started", () => {
  open({ tools: [workTool(note, { ms: 60_000 })] })
  const session = stage.create()
  const call = { type: "tool_use" as const, name: "work", input: {} }
  stage.replies.push({ blocks: [call, call] })
  stage.prompt(session, "Hello")
  stage.until(() => starts().length === 1 && stage.facts(session, "part.recorded").length === 2)
  stage.kill()
  stage.boot()
  stage.settle(session)
  expect(stage.facts(session, "call.settled").map(({ outcome }) => outcome.output)).toEqual([
    expect.stringMatching(/^Outcome unknown; check before repeating\./),
    "[interrupted before it started]",
  ])
})

test("[DR4] drives a Session to a settled state whichever write its process dies at", () => {
  for (const moment of ["before", "after"] as const) {
    for (let write = 1; write <= 9; write++) {
      open({ tools: [workTool(note, { ms: 100 })] })
      const session = stage.create()
      stage.prompt(session, "Hello", { resume: false })
      stage.replies.push({
        blocks: [
          { type: "text", text: "Well." },
          { type: "tool_use", name: "work", input: {} },
        ],
      })
      stage.crash(session, { write, moment })
      const status = stage.status(session)
      expect(["idle", "interrupted"], `${moment} write ${write}`).toContain(status.state)
      const row = stage.ask((_, store) => store.session(session))
      expect(row?.openTurn).toBeNull()
      expect(stage.ask((_, store) => store.lease(session))).toBeNull()
      const started = stage.facts(session, "call.started").map(({ call }) => call)
      expect(stage.facts(session, "call.settled").map(({ call }) => call)).toEqual(started)
      expect(starts().length).toBeLessThanOrEqual(1)
      if (moment !== "after" || write !== 9) stage.close()
    }
  }
})

test("[DR4] shows no Session as running or waiting whose owner is dead", () => {
  open()
  const running = stage.create()
  const waiting = stage.create()
  stage.replies.push({ blocks: [], fault: { kind: "rate-limited", retryAfter: 60 } })
  stage.prompt(waiting, "Hello")
  stage.until(() => stage.journal.includes("session.updated"))
  stage.replies.push({ blocks: [{ type: "text", text: "slow" }], firstByteMs: 60_000 })
  stage.prompt(running, "Hello")
  stage.until(() => stage.sent.length === 2)
  expect([stage.status(running).state, stage.status(waiting).state]).toEqual(["running", "waiting"])
  stage.kill()
  stage.boot()
  stage.settle(running)
  stage.settle(waiting)
  expect([stage.status(running).state, stage.status(waiting).state]).toEqual(["interrupted", "interrupted"])
})

/** Every place in it is different, so that a hole, a repeat or another order shows. */
const numbers = (count: number, first = 1_000): string =>
  Array.from({ length: count }, (_, at) => `${first + at} `).join("")

/** The text of the parts that recovery kept, in the order of the answer. */
const keptTexts = (session: SessionId) =>
  stage
    .facts(session, "part.recorded")
    .toSorted((a, b) => a.index - b.index)
    .map(({ part }) => ("text" in part ? part.text : ""))

const streamedChars = () =>
  stage.live.reduce((sum, event) => sum + (event.type === "text-delta" ? event.text.length : 0), 0)

test("[TU3] keeps text of a killed process up to the last checkpoint, one second behind at most", () => {
  open()
  const session = stage.create()
  const text = numbers(100)
  stage.replies.push({ blocks: [{ type: "text", text }], chunkChars: 5, delayMs: 100 })
  stage.prompt(session, "Hello")
  stage.until(() => streamedChars() === 35 * 5)
  stage.kill()
  stage.boot()
  stage.settle(session)
  expect(stage.facts(session, "part.recorded")[0]?.part).toMatchObject({ type: "text", interrupted: true })
  const [kept = ""] = keptTexts(session)
  expect(kept).toBe(text.slice(0, kept.length))
  expect(kept.length).toBeGreaterThanOrEqual(25 * 5)
  expect(kept.length).toBeLessThanOrEqual(35 * 5)
})

test("[TU3] keeps text without a hole although more of it comes while a checkpoint is committed", () => {
  open()
  const session = stage.create()
  const text = numbers(100)
  stage.replies.push({ blocks: [{ type: "text", text }], chunkChars: 5, delayMs: 100 })
  stage.afterCommit = ({ kind }) => (kind === "checkpoint" ? Effect.sleep(350) : Effect.void)
  stage.prompt(session, "Hello")
  stage.until(() => streamedChars() === 60 * 5)
  stage.kill()
  stage.boot()
  stage.settle(session)
  const [kept = ""] = keptTexts(session)
  expect(kept).toBe(text.slice(0, kept.length))
  expect(kept.length).toBeGreaterThan(40 * 5)
})

test("[TU3] keeps text without a hole although the store could not take a checkpoint in between", () => {
  open()
  const session = stage.create()
  const text = numbers(100)
  stage.replies.push({ blocks: [{ type: "text", text }], chunkChars: 5, delayMs: 100 })
  let checkpoints = 0
  stage.refuses = ({ kind }) => kind === "checkpoint" && (checkpoints += 1) === 2
  stage.prompt(session, "Hello")
  stage.until(() => streamedChars() === 60 * 5)
  expect(checkpoints).toBeGreaterThan(3)
  stage.kill()
  stage.boot()
  stage.settle(session)
  const [kept = ""] = keptTexts(session)
  expect(kept).toBe(text.slice(0, kept.length))
  expect(kept.length).toBeGreaterThan(40 * 5)
})

test("[TU3] keeps what is open of a part when another is complete", () => {
  open({ thinking: true })
  const session = stage.create()
  const [thought, said] = [numbers(20), numbers(20, 2_000)]
  stage.replies.push({
    blocks: [
      { type: "thinking", text: thought },
      { type: "text", text: said },
    ],
    chunkChars: 50,
    delayMs: 1_000,
  })
  // A provider may stream several parts side by side: the first ends when the second has begun.
  stage.rewrite = (response) => ({ ...response, frames: endFirstPartLate([...response.frames]) })
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.includes("part.recorded"))
  stage.kill()
  stage.boot()
  stage.settle(session)
  const [whole, begun = ""] = keptTexts(session)
  expect(whole).toBe(thought)
  expect(begun).toBe(said.slice(0, begun.length))
  expect(begun.length).toBeGreaterThanOrEqual(50)
})

/** Moves the end of the first part behind the second delta of the next. */
function endFirstPartLate(frames: readonly SimFrame[]): readonly SimFrame[] {
  const textOf = (frame: SimFrame) => (frame.kind === "bytes" ? Buffer.from(frame.bytes).toString() : "")
  const isStop = (frame: SimFrame) => textOf(frame).includes("content_block_stop")
  const isText = (frame: SimFrame) => textOf(frame).includes("text_delta")
  const stop = frames.findIndex(isStop)
  const second = frames.findIndex((frame, at) => isText(frame) && frames.slice(0, at).some(isText))
  return [
    ...frames.slice(0, stop),
    ...frames.slice(stop + 1, second + 1),
    ...frames.slice(stop, stop + 1),
    ...frames.slice(second + 1),
  ]
}

test("[TU3] checkpoints after 16 KiB of text although the second is not over", () => {
  for (const letter of ["", "é", "漢"]) {
    open()
    const session = stage.create()
    const text = numbers(8_000).replaceAll(" ", letter)
    stage.replies.push({ blocks: [{ type: "text", text }], chunkChars: 500, delayMs: 1, outputTokens: 1 })
    stage.prompt(session, "Hello")
    const streamed = () =>
      stage.live.reduce(
        (sum, event) => sum + (event.type === "text-delta" ? Buffer.byteLength(event.text) : 0),
        0,
      )
    stage.until(() => streamed() >= 30_000)
    stage.kill()
    stage.boot()
    stage.settle(session)
    const [kept = ""] = keptTexts(session)
    expect(kept, letter).toBe(text.slice(0, kept.length))
    expect(Buffer.byteLength(kept), letter).toBeGreaterThan(30_000 - 16_384 - 2_000)
    if (letter !== "漢") stage.close()
  }
})

test("[TU3] checkpoints text that came in the same piece as the end of another part", () => {
  open({ thinking: true })
  const session = stage.create()
  stage.replies.push({
    blocks: [
      { type: "thinking", text: "Hm." },
      { type: "text", text: "Some words that stay." },
    ],
    chunkChars: 12,
    framesPerWrite: 100,
    fault: { kind: "stall", afterDeltas: 3 },
  })
  stage.prompt(session, "Hello")
  stage.until(() => stage.live.some((event) => event.type === "text-delta"))
  stage.pass(2_000)
  stage.kill()
  stage.boot()
  stage.settle(session)
  expect(stage.facts(session, "part.recorded").map(({ part }) => part)).toMatchObject([
    { type: "reasoning", text: "Hm.", interrupted: false },
    { type: "text", text: "Some words t", interrupted: true },
  ])
})

test("[DR4 PR5] hears a prompt that comes while recovery still runs", () => {
  for (let seed = 1; seed <= 20; seed++) {
    open({ seed })
    const session = stage.create()
    stage.replies.push({ blocks: [{ type: "text", text: "slow" }], firstByteMs: 60_000 })
    stage.prompt(session, "Hello")
    stage.until(() => stage.sent.length === 1)
    stage.kill()
    stage.boot()
    stage.converse(session, "Still there?")
    expect(stage.status(session), `seed ${seed}`).toMatchObject({ pending: 0, owing: false })
    if (seed < 20) stage.close()
  }
})
