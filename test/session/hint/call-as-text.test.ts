/** A call that a model writes as text is answered by a hint, once a prompt. */
import { afterEach, expect, test } from "vitest"
import type { Reply } from "@holdfast/provider-sim"
import type { Tool } from "@holdfast/core/tools/index"
import { Stage, type StageOptions } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
const open = (options: StageOptions = {}) => {
  stage = new Stage({ tools: [work()], ...options })
  return stage.create()
}
afterEach(() => stage.close())

const work = (): Tool => ({
  ...workTool((line) => void stage.journal.push(line)),
  inputSchema: {
    type: "object",
    properties: { target: { type: "string" }, depth: { type: "integer" } },
    required: ["target"],
    additionalProperties: false,
  },
})
const says = (text: string): Reply => ({ blocks: [{ type: "text", text }] })
const asText = (input: string): Reply =>
  says(`I do it.\n<tool_call>{"name":"work","arguments":${input}}</tool_call>`)
const calls: Reply = { blocks: [{ type: "tool_use", name: "work", input: { target: "a" } }] }
const started = () => stage.journal.filter((line) => line.startsWith("start")).length
const hint = (told: string) =>
  `user: <notice from="runtime">\nYour last answer ends in a tool call that is written as text, so nothing was run. Call the tool itself, by the way of calling tools that you were given, and write no call into an answer. This is what was read of it:\n${told}\nIf it was meant as an example, say so in one sentence.\n</notice>`

test("[TL1 PR7] a call as text runs nothing and is answered by a structured hint, from which the model goes on", () => {
  const session = open()
  stage.replies.push(asText('{"target":"a"}'), calls, says("It is done."))
  expect(stage.converse(session, "Do it")).toEqual({ kind: "done" })
  expect(stage.sent[1]?.lines.at(-1)).toBe(
    hint('{"tool":"work","input":{"target":"a"},"fields":["target","depth"],"required":["target"]}'),
  )
  expect([started(), stage.sent.length]).toEqual([1, 3])
  expect(stage.messages(session).map(({ kind }) => kind)).toEqual([
    "user",
    "assistant",
    "notice",
    "assistant",
    "assistant",
  ])
  expect(new Set(stage.verdicts(session))).toEqual(new Set(["same"]))
})

test("[TL1] the hint names what is wrong with the input", () => {
  const session = open()
  stage.replies.push(asText('{"targt":"a"}'))
  stage.converse(session, "Do it")
  const { text = "" } = stage.facts(session, "notice.admitted")[0] ?? {}
  const told = JSON.parse(text.split("\n")[1] ?? "null") as { readonly wrong: readonly string[] }
  expect(told.wrong).toEqual(['There is no field "targt". Did you mean "target"?', '"target" is missing.'])
})

test("[TL1] an input that is too long to be told is left out whole", () => {
  const session = open()
  stage.replies.push(asText(JSON.stringify({ target: "x".repeat(2_100) })))
  stage.converse(session, "Do it")
  const { text = "" } = stage.facts(session, "notice.admitted")[0] ?? {}
  expect(text).not.toContain("xxx")
  expect(text).toContain('"tool":"work"')
})

test("[TL1] a second call as text is not answered again, until somebody speaks", () => {
  const session = open()
  const text = asText('{"target":"a"}')
  stage.replies.push(text, text)
  expect(stage.converse(session, "Do it")).toEqual({ kind: "done" })
  expect(stage.sent).toHaveLength(2)
  stage.replies.push(text, text)
  expect(stage.converse(session, "Once more")).toEqual({ kind: "done" })
  expect(stage.sent).toHaveLength(4)
  expect(stage.facts(session, "notice.admitted")).toHaveLength(2)
  expect(started()).toBe(0)
})

test("[TL1 DR7] no hint goes beyond the allowance of turns", () => {
  const session = open({ turnsMax: 1 })
  stage.replies.push(asText('{"target":"a"}'))
  expect(stage.converse(session, "Do it")).toEqual({ kind: "done" })
  expect(stage.sent).toHaveLength(1)
  expect(stage.facts(session, "notice.admitted")).toEqual([])
})

test("[TL1 DR4] whichever write the process dies at, the hint and the turn that it answers are one", () => {
  for (const moment of ["before", "after"] as const) {
    for (let write = 1; write <= 6; write++) {
      const session = open()
      stage.prompt(session, "Do it", { resume: false })
      stage.replies.push(asText('{"target":"a"}'))
      stage.crash(session, { write, moment })
      if (stage.status(session).owing || stage.status(session).pending > 0) stage.resume(session)
      const said = `${moment} write ${write}`
      expect(stage.status(session), said).toMatchObject({ state: "idle", owing: false, pending: 0 })
      const told = stage.turns(session).filter(({ settled }) => settled?.status === "continue")
      expect(stage.facts(session, "notice.admitted"), said).toHaveLength(told.length)
      expect(stage.facts(session, "notice.promoted"), said).toHaveLength(told.length)
      expect(new Set(stage.verdicts(session)), said).toEqual(new Set(["same"]))
      if (moment !== "after" || write !== 6) stage.close()
    }
  }
})

test("[FA2] a hint that cannot be made is left out, and the turn ends as it would have", () => {
  const broken: Tool = {
    ...work(),
    get inputSchema(): Tool["inputSchema"] {
      if (stage.sent.length > 0) throw new Error("no schema")
      return { type: "object", properties: {} }
    },
  }
  const session = open({ tools: [broken] })
  stage.replies.push(asText('{"target":"a"}'))
  expect(stage.converse(session, "Do it")).toEqual({ kind: "done" })
  expect(stage.sent).toHaveLength(1)
  const leftOut = [{ extra: "A hint for the model", problem: "Error: no schema" }]
  expect(stage.turns(session).at(-1)?.settled).toMatchObject({ status: "done", leftOut })
})

test("[FA2] what a turn went without is told once, in its own record, and survives a restart", () => {
  let mended = false
  const tool: Tool = {
    ...work(),
    get inputSchema(): Tool["inputSchema"] {
      if (stage.sent.length > 0 && !mended) throw new Error("no schema")
      return { type: "object", properties: {} }
    },
  }
  const session = open({ tools: [tool] })
  stage.replies.push(asText('{"target":"a"}'))
  stage.converse(session, "Do it")
  mended = true
  stage.restart()
  stage.converse(session, "Go on")
  const told = stage.turns(session).map(({ settled }) => settled?.leftOut?.map(({ extra }) => extra))
  expect(told).toEqual([["A hint for the model"], undefined])
  expect(stage.turns(session).at(-1)?.started.pass).toBe("hold")
  expect(new Set(stage.verdicts(session))).toEqual(new Set(["same"]))
})
