/** Tags in a real Session: what is asked for waits, reminders and gaps are on record, and a restart changes nothing. */
import { afterEach, expect, test } from "vitest"
import { expandTool, reduceTool, type Tool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
afterEach(() => stage.close())

function open(tools = [reduceTool, expandTool], outputUnits = 30): SessionId {
  const work = workTool(() => {}, { text: "line ".repeat(outputUnits / 5), output: "" })
  stage = new Stage({ contextTokens: 60_000, tools: [work, ...tools] })
  return stage.create()
}

function works(session: SessionId, count: number): void {
  for (let n = 0; n < count; n++)
    stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: { n } }] })
  stage.converse(session, "Work.")
}

function reduces(session: SessionId, drop: string): string {
  stage.replies.push({ blocks: [{ type: "tool_use", name: "context_reduce", input: { drop } }] })
  stage.converse(session, "Less.")
  return stage.facts(session, "call.settled").at(-1)?.outcome.output ?? ""
}

const tagsOf = (session: SessionId): readonly number[] =>
  stage
    .events(session)
    .flatMap(({ seq, fact }) => (fact.type === "part.recorded" && fact.part.type === "call" ? [seq] : []))

test("[TG1 TL4] what the model drops waits as a signal, and a wrong tag is a text", () => {
  const session = open()
  works(session, 24)
  const [first, second] = tagsOf(session)
  expect(stage.sent.at(-1)?.raw).toContain(`§${first}§ line`)
  expect(reduces(session, "4711")).toMatch(/^Error: There is no §4711§ in the window/)
  expect(reduces(session, `${first}-${second}`)).toBe(`Queued: drop §${first}§, §${second}§.`)
  expect(stage.facts(session, "signal.raised")).toMatchObject([{ kind: "drop", detail: { units: [{}, {}] } }])
  expect(reduces(session, `§${first}§`)).toMatch(/there is nothing to do/)
  expect(stage.facts(session, "signal.raised")).toHaveLength(1)
  expect(stage.turns(session).every(({ settled }) => settled?.status !== "failed")).toBe(true)
  stage.restart()
  stage.converse(session, "On.")
  expect(stage.sent.at(-1)?.raw).toContain(`§${first}§ line`)
  expect(stage.turns(session).at(-1)?.started.pass).toBe("hold")
  expect(stage.verdicts(session).every((verdict) => verdict === "same")).toBe(true)
})

test("[ND1 MD1] reminders stand behind outputs once there is much to drop, the ceiling once, and none without the tool", () => {
  const session = open([reduceTool], 4_000)
  works(session, 38)
  const added = stage.facts(session, "call.settled").flatMap(({ added: parts }) => parts)
  expect(added.length).toBeGreaterThan(0)
  expect(added.filter(({ text }) => text.startsWith('<reminder level="ceiling">')).length).toBeLessThan(2)
  expect(added.every(({ kind }) => kind === "nudge")).toBe(true)
  const [reminder] = added
  expect(stage.sent.at(-1)?.raw).toContain(JSON.stringify(reminder?.text).slice(1, -1))
  expect(stage.verdicts(session).every((verdict) => verdict === "same")).toBe(true)
  stage.close()
  const other = open([], 4_000)
  works(other, 38)
  expect(stage.facts(other, "call.settled").flatMap(({ added: parts }) => parts)).toEqual([])
  expect(stage.sent.at(-1)?.raw).not.toContain("§")
})

test("[ND2] a gap of five minutes is told beside the next input, from what is on record", () => {
  const session = open()
  stage.converse(session, "One.")
  stage.world.nowMs += 3 * 60_000
  stage.converse(session, "Two.")
  stage.world.nowMs += 135 * 60_000
  stage.converse(session, "Three.")
  const gaps = stage.facts(session, "prompt.promoted").map(({ added }) => added.map(({ text }) => text))
  expect(gaps).toEqual([[], [], ["+2h 15m since the last message"]])
  expect(stage.sent.at(-1)?.raw).toContain("+2h 15m since the last message")
  stage.restart()
  stage.converse(session, "Four.")
  expect(stage.verdicts(session)).toEqual(["same", "same", "same", "same"])
})

const prose = "The file is really there, and it is of the old kind. ".repeat(12)

function talks(tools = [expandTool], textCompression = true): SessionId {
  stage = new Stage({ contextTokens: 60_000, tools, settings: { textCompression } })
  const session = stage.create()
  for (let n = 0; n < 10; n++) {
    stage.replies.push({ blocks: [{ type: "text", text: `Answer ${n}. ${prose}` }] })
    stage.converse(session, `Prompt ${n}. ${prose}`)
  }
  return session
}

test("[TG5 TG4] old answers are told in fewer words from the next break on, and context_expand shows all of one", () => {
  const session = talks()
  expect(stage.sent.at(-1)?.raw).not.toContain("[shortened")
  stage.ask((runtime) => runtime.flush(session))
  stage.converse(session, "Go on.")
  const [, number = ""] =
    /\[shortened #(\d+)\] Answer 0\. file there, and old kind\./.exec(stage.sent.at(-1)?.raw ?? "") ?? []
  expect(stage.sent.at(-1)?.raw).toContain(`Prompt 0. ${prose}`)
  expect(stage.ask((runtime) => runtime.receipts(session)).at(-1)?.dropped).toMatchObject({ shortened: 6 })
  stage.restart()
  stage.replies.push({
    blocks: [{ type: "tool_use", name: "context_expand", input: { part: `#${number}` } }],
  })
  stage.converse(session, "What did you say?")
  expect(stage.facts(session, "call.settled").at(-1)?.outcome.output).toContain(`Answer 0. ${prose}`.trim())
  expect(
    stage
      .turns(session)
      .slice(-2)
      .map(({ started }) => started.pass),
  ).toEqual(["hold", "hold"])
  expect(stage.verdicts(session).every((verdict) => verdict === "same")).toBe(true)
})

test("[TG5 MD1] where the model can drop, or nobody asks for it, no answer is shortened", () => {
  for (const session of [() => talks([expandTool, reduceTool]), () => talks([expandTool], false)]) {
    const one = session()
    stage.ask((runtime) => runtime.flush(one))
    stage.converse(one, "Go on.")
    expect(stage.sent.at(-1)?.raw).not.toContain("[shortened")
    stage.close()
  }
  stage = new Stage()
})

test("[MD1 PS7 TG1] whether the model can drop is decided once a turn, and another verdict is a break with its own reason", () => {
  const tools: Tool[] = [workTool(() => {}), reduceTool]
  stage = new Stage({ tools })
  const session = stage.create()
  const say = (words: string) => stage.converse(session, words)
  say("First.")
  say("Second.")
  tools.pop()
  stage.restart()
  say("Third.")
  say("Fourth.")
  tools.push(reduceTool)
  stage.restart()
  say("Fifth.")
  say("Sixth.")
  const turns = stage.turns(session).map(({ started }) => [started.pass, started.break?.reason ?? null])
  expect(turns.slice(1)).toEqual([
    ["hold", null],
    ["refresh", "tools_changed"],
    ["hold", null],
    ["refresh", "tools_changed"],
    ["hold", null],
  ])
  const tagged = stage.sent.map(({ raw }) => /§\d+§ First\./.test(raw))
  expect(tagged).toEqual([true, true, false, false, true, true])
  expect(new Set(stage.verdicts(session))).toEqual(new Set(["same"]))
})
