/** Every rule of the grammar catches what breaks it. */
import { describe, expect, test } from "vitest"
import { lint, lintMarkers } from "../src/anthropic-messages/lint.ts"
import { encode } from "../src/anthropic-messages/encode.ts"
import type { Block, Encoded } from "../src/wire.ts"
import {
  answer,
  call,
  readTool,
  segmentsOf,
  type Settings,
  system,
  targetOf,
  text,
  thinking,
  user,
} from "./requests.ts"

const options: Settings = { thinkingTokens: 2_048, systemRole: true }
const target = targetOf(options)

/** tool 0, system 1, agent 2, user 3, thinking 4, text 5, calls 6 7, results 8 9, system 10. */
const legal = encode(
  segmentsOf([user("a"), answer(thinking("hm"), text("b"), call(1), call(2)), system("s")]),
  target,
)

type Corruption = (blocks: Block[]) => void

const at = (blocks: Block[], index: number): Block => blocks[index] as Block
const rewrite = (blocks: Block[], index: number, from: string | RegExp, to: string) => {
  const block = at(blocks, index)
  blocks[index] = { ...block, json: block.json.replace(from, to) }
}
const swap = (blocks: Block[], a: number, b: number) => {
  ;[blocks[a], blocks[b]] = [at(blocks, b), at(blocks, a)]
}
const rulesOf = (encoded: Encoded, more: Settings = {}) =>
  lint(encoded, targetOf({ ...options, ...more })).map((fault) => fault.rule)

const corruptions: Readonly<Record<string, readonly [rule: string, corrupt: Corruption]>> = {
  "a call loses its result": ["pairing", (blocks) => blocks.splice(9, 1)],
  "all results are lost": ["pairing", (blocks) => blocks.splice(8, 2)],
  "a result loses its call": ["result-unknown", (blocks) => blocks.splice(7, 1)],
  "a result is given twice": ["result-unknown", (blocks) => blocks.splice(9, 0, at(blocks, 8))],
  "text stands between results": ["result-order", (blocks) => blocks.splice(9, 0, at(blocks, 3))],
  "text stands before results": ["pairing", (blocks) => blocks.splice(8, 0, at(blocks, 3))],
  "a call id is used twice": ["call-unique", (blocks) => rewrite(blocks, 7, "call_2", "call_1")],
  "a call id has another shape": ["call-id", (blocks) => rewrite(blocks, 6, "call_1", "call 1")],
  "a result's id has another shape": ["call-id", (blocks) => rewrite(blocks, 8, "call_1", "")],
  "a call's name has another shape": ["tool-name", (blocks) => rewrite(blocks, 6, "read", "re ad")],
  "an input is a string": ["call-input", (blocks) => rewrite(blocks, 6, /\{"path".*\}\}$/, '"x"}')],
  "a result is empty": ["text-empty", (blocks) => rewrite(blocks, 8, '"content":"content"', '"content":""')],
  "a text is empty": ["text-empty", (blocks) => rewrite(blocks, 5, '"b"', '""')],
  "a text is blank": ["text-empty", (blocks) => rewrite(blocks, 3, '"a"', '" \\n"')],
  "a prompt is blank": ["text-empty", (blocks) => rewrite(blocks, 1, /"text":".*"/, '"text":" "')],
  "a prompt is no text": ["block-shape", (blocks) => rewrite(blocks, 1, '"type":"text"', '"type":"image"')],
  "the answer comes first": ["role-first", (blocks) => blocks.splice(3, 1)],
  "there is no message": ["role-last", (blocks) => blocks.splice(3)],
  "the answer comes last": ["role-last", (blocks) => blocks.splice(6)],
  "thinking comes last in its answer": ["reasoning-final", (blocks) => blocks.splice(8, 0, at(blocks, 4))],
  "thinking loses its signature": ["reasoning-signature", (blocks) => rewrite(blocks, 4, /"sig-\d"/, '""')],
  "thinking is another target's": [
    "reasoning-native",
    (blocks) => blocks.splice(4, 1, { ...at(blocks, 4), native: "other" }),
  ],
  "thinking could be marked": [
    "markers",
    (blocks) => blocks.splice(4, 1, { ...at(blocks, 4), markable: true }),
  ],
  "thinking no longer leads the loop": ["reasoning-lead", (blocks) => blocks.splice(4, 1)],
  "text leads the loop": ["reasoning-lead", (blocks) => swap(blocks, 4, 5)],
  "a system message follows an answer": ["system-place", (blocks) => blocks.splice(8, 0, at(blocks, 10))],
  "a system message is doubled": ["system-place", (blocks) => blocks.push(at(blocks, 10))],
  "a system message precedes user content": ["system-place", (blocks) => blocks.push(at(blocks, 3))],
  "no tool is left": ["tools-missing", (blocks) => blocks.splice(0, 1)],
  "a tool is doubled": ["tool-unique", (blocks) => blocks.splice(0, 0, at(blocks, 0))],
  "a tool's name has another shape": ["tool-name", (blocks) => rewrite(blocks, 0, '"read"', '"re.ad"')],
  "a tool's input is no object": [
    "tool-schema",
    (blocks) => rewrite(blocks, 0, '{"type":"object","properties"', '{"type":"array","properties"'),
  ],
  "a tool's input is a union": [
    "tool-schema",
    (blocks) => rewrite(blocks, 0, '"required"', '"anyOf":[],"required"'),
  ],
  "segments change places": ["segment-order", (blocks) => swap(blocks, 0, 1)],
  "a call stands on the user's side": [
    "block-shape",
    (blocks) => blocks.splice(6, 1, { ...at(blocks, 6), role: "user" }),
  ],
  "a result stands on the model's side": [
    "block-shape",
    (blocks) => blocks.splice(8, 1, { ...at(blocks, 8), role: "assistant" }),
  ],
  "a block has no role": ["block-shape", (blocks) => blocks.splice(5, 1, { ...at(blocks, 5), role: null })],
  "a block is no JSON": ["block-shape", (blocks) => rewrite(blocks, 5, "}", "")],
  "a block brings its own marker": ["markers", (blocks) => rewrite(blocks, 5, "}", ',"cache_control":{}}')],
  "half a pair is escaped": ["surrogate", (blocks) => rewrite(blocks, 5, '"b"', '"\\ud800"')],
  "half a pair is raw": ["surrogate", (blocks) => rewrite(blocks, 5, '"b"', '"\ud800"')],
}

describe("the linter", () => {
  test("[LL3] finds nothing in a legal request", () => {
    expect(legal.blocks).toHaveLength(11)
    expect(lint(legal, target)).toEqual([])
  })

  test.each(Object.entries(corruptions))("[LL3] refuses a request in which %s", (_, [rule, corrupt]) => {
    const blocks = [...legal.blocks]
    corrupt(blocks)
    expect(rulesOf({ ...legal, blocks })).toContain(rule)
  })

  test("[LL3] accepts an escape that only looks like half a pair", () => {
    const blocks = [...legal.blocks]
    rewrite(blocks, 5, '"b"', '"\\\\ud800"')
    expect(rulesOf({ ...legal, blocks })).toEqual([])
  })

  test("[LL3] refuses a system message to a model without the role", () => {
    expect(rulesOf(legal, { systemRole: false })).toContain("system-place")
  })

  test.each([
    ["another model", '"claude-test"', '"other"'],
    ["no stream", "true", "false"],
    ["no output", "8192", "0"],
    ["a small budget", "2048", "512"],
    ["a budget above the output", "2048", "9000"],
  ])("[LL3] refuses settings with %s", (_, from, to) => {
    expect(rulesOf({ ...legal, params: legal.params.replace(from, to) })).toContain("params")
  })

  test("[LL5] refuses a fifth marker and one on thinking", () => {
    expect(lintMarkers(legal.blocks, [0, 1, 2, 3, 5])).toHaveLength(1)
    expect(lintMarkers(legal.blocks, [4])).toHaveLength(1)
    expect(lintMarkers(legal.blocks, [0, 1, 2, 3])).toEqual([])
  })

  test("[LL3] keeps apart what two requests add to the same beginning", () => {
    const start = [user("a"), answer(call(1)), answer(call(2))]
    const check = (...more: Parameters<typeof segmentsOf>[0]) =>
      lint(encode(segmentsOf([...start, ...more], { tools: [readTool] }), targetOf()), targetOf())
    expect(check()).toEqual([])
    expect(check(answer(call(3)))).toEqual([])
    expect(check(answer(call(3)), answer(call(4)))).toEqual([])
    expect(check(answer(call(2))).map((fault) => fault.rule)).toContain("call-unique")
    expect(check(answer(call(3)))).toEqual([])
  })
})
