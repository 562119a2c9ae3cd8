/** What was said before about what a person asks: told beside their words, and only what the window does not show. */
import { afterEach, expect, test } from "vitest"
import { expandTool } from "@holdfast/core/tools/index"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const question = "Where does the purple walrus store its keys?"

test("[ND1 FA2] fragments of other Sessions stand beside the prompt, never in it, and stay as they were", () => {
  stage = new Stage({ contextTokens: 200_000, tools: [expandTool], settings: { searchHint: true } })
  const [first, second] = [stage.create(), stage.create()]
  for (let n = 0; n < 5; n++)
    stage.converse(first, `Note ${n}: the purple walrus has keys in store ${n}, ${"x ".repeat(90)}`)
  stage.converse(second, question)
  stage.converse(second, "Thank you.")
  const [asked, thanks] = stage.facts(second, "prompt.promoted")
  expect(asked?.added).toMatchObject([{ kind: "hint" }])
  const lines = (asked?.added[0]?.text ?? "").split("\n").slice(1)
  expect(lines).toHaveLength(3)
  for (const line of lines) expect(line.slice(line.indexOf(": ") + 2).length).toBeLessThanOrEqual(80)
  expect(lines[0]).toContain(`of session ${first}`)
  expect(thanks?.added).toEqual([])
  const [user] = stage.messages(second).filter(({ kind }) => kind === "user")
  expect(user).toMatchObject({ text: question })
  expect(stage.verdicts(second).every((verdict) => verdict === "same")).toBe(true)
})

test("[ND1] nothing is told of what the window shows, nor where the setting says so", () => {
  stage = new Stage({ contextTokens: 200_000, tools: [expandTool], settings: { searchHint: true } })
  const session = stage.create()
  stage.converse(session, "The purple walrus has its keys in a store in Zanzibar.")
  stage.converse(session, question)
  expect(stage.facts(session, "prompt.promoted").map(({ added }) => added)).toEqual([[], []])
  stage.close()
  stage = new Stage({ contextTokens: 200_000, tools: [expandTool] })
  const [first, second] = [stage.create(), stage.create()]
  stage.converse(first, "The purple walrus has its keys in a store in Zanzibar.")
  stage.converse(second, question)
  expect(stage.facts(second, "prompt.promoted").at(-1)?.added).toEqual([])
})

test("[ND1] a short prompt is not looked for, and what only repeats the prompt is not told", () => {
  stage = new Stage({ contextTokens: 200_000, tools: [expandTool], settings: { searchHint: true } })
  const [first, second] = [stage.create(), stage.create()]
  stage.converse(first, "Read README.md now, and the walrus too.")
  stage.converse(first, question)
  stage.converse(second, "Read README.md now.")
  stage.converse(second, question)
  expect(stage.facts(second, "prompt.promoted").map(({ added }) => added)).toEqual([[], []])
})
