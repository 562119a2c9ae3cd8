/** Every rule of the grammar catches what breaks it. */
import { describe, expect, test } from "vitest"
import { lint } from "../src/anthropic-messages/lint.ts"
import { markersMax } from "../src/anthropic-messages/place.ts"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import { encode } from "../src/anthropic-messages/encode.ts"
import type { Encoded } from "../src/wire.ts"
import { type Corruptions, double, drop, put, rewrite, swap } from "./any-wire/corruptions.ts"
import { markerFaults } from "./any-wire/marker-faults.ts"
import { findsWhatBreaks, keepsRequestsApart } from "./any-wire/lint-rules.ts"
import {
  answer,
  call,
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

const rulesOf = (encoded: Encoded, more: Settings = {}) =>
  lint(encoded, targetOf({ ...options, ...more })).map((fault) => fault.rule)

const corruptions: Corruptions = {
  "a call loses its result": ["pairing", drop(9)],
  "all results are lost": ["pairing", drop(8, 2)],
  "a result loses its call": ["result-unknown", drop(7)],
  "a result is given twice": ["result-unknown", double(8, 9)],
  "text stands between results": ["result-order", double(3, 9)],
  "text stands before results": ["pairing", double(3, 8)],
  "a call id is used twice": ["call-unique", rewrite(7, "call_2", "call_1")],
  "a call id has another shape": ["call-id", rewrite(6, "call_1", "call 1")],
  "a result's id has another shape": ["call-id", rewrite(8, "call_1", "")],
  "a call's name has another shape": ["tool-name", rewrite(6, "read", "re ad")],
  "an input is a string": ["call-input", rewrite(6, /\{"path".*\}\}$/, '"x"}')],
  "a result is empty": ["text-empty", rewrite(8, '"content":"content"', '"content":""')],
  "a text is empty": ["text-empty", rewrite(5, '"b"', '""')],
  "a text is blank": ["text-empty", rewrite(3, '"a"', '" \\n"')],
  "a prompt is blank": ["text-empty", rewrite(1, /"text":".*"/, '"text":" "')],
  "a prompt is no text": ["block-shape", rewrite(1, '"type":"text"', '"type":"image"')],
  "there is no message": ["role-last", drop(3, Infinity)],
  "the answer comes last": ["role-last", drop(6, Infinity)],
  "thinking comes last in its answer": ["reasoning-final", double(4, 8)],
  "thinking loses its signature": ["reasoning-signature", rewrite(4, /"sig-\d"/, '""')],
  "thinking is another target's": ["reasoning-native", put(4, { native: "other" })],
  "thinking could be marked": ["markers", put(4, { markable: true })],
  "thinking no longer leads the loop": ["reasoning-lead", drop(4)],
  "text leads the loop": ["reasoning-lead", swap(4, 5)],
  "a system message follows an answer": ["system-place", double(10, 8)],
  "a system message is doubled": ["system-place", double(10, Infinity)],
  "a system message precedes user content": ["system-place", double(3, Infinity)],
  "no tool is left": ["tools-missing", drop(0)],
  "a tool is doubled": ["tool-unique", double(0)],
  "a tool's name has another shape": ["tool-name", rewrite(0, '"read"', '"re.ad"')],
  "a tool's input is no object": [
    "tool-schema",
    rewrite(0, '{"type":"object","properties"', '{"type":"array","properties"'),
  ],
  "a tool's input is a union": ["tool-schema", rewrite(0, '"required"', '"anyOf":[],"required"')],
  "segments change places": ["segment-order", swap(0, 1)],
  "a call stands on the user's side": ["block-shape", put(6, { role: "user" })],
  "a result stands on the model's side": ["block-shape", put(8, { role: "assistant" })],
  "a block has no role": ["block-shape", put(5, { role: null })],
  "a block is no JSON": ["block-shape", rewrite(5, "}", "")],
  "a block brings its own marker": ["markers", rewrite(5, "}", ',"cache_control":{}}')],
  "half a pair is escaped": ["surrogate", rewrite(5, '"b"', '"\\ud800"')],
  "half a pair is raw": ["surrogate", rewrite(5, '"b"', '"\ud800"')],
}

describe("the linter", () => {
  findsWhatBreaks({
    wire: anthropicMessages,
    target,
    legal,
    blocks: 11,
    corruptions,
    settings: [
      ["another model", '"claude-test"', '"other"'],
      ["no stream", "true", "false"],
      ["no output", "8192", "0"],
      ["a small budget", "2048", "512"],
      ["a budget above the output", "2048", "9000"],
    ],
  })

  test("[LL3] accepts an escape that only looks like half a pair", () => {
    const blocks = [...legal.blocks]
    rewrite(5, '"b"', '"\\\\ud800"')(blocks)
    expect(rulesOf({ ...legal, blocks })).toEqual([])
  })

  test("[LL3] accepts an answer that comes first, as the provider does", () => {
    const blocks = [...legal.blocks]
    drop(3)(blocks)
    expect(rulesOf({ ...legal, blocks })).toEqual([])
  })

  test("[LL3] refuses a system message to a model without the role", () => {
    expect(rulesOf(legal, { systemRole: false })).toContain("system-place")
  })

  test("[LL5] refuses a fifth marker and one on thinking", () => {
    expect(markerFaults(legal.blocks, [0, 1, 2, 3, 5], markersMax)).toHaveLength(1)
    expect(markerFaults(legal.blocks, [4], markersMax)).toHaveLength(1)
    expect(markerFaults(legal.blocks, [0, 1, 2, 3], markersMax)).toEqual([])
  })

  keepsRequestsApart(anthropicMessages, targetOf())
})
