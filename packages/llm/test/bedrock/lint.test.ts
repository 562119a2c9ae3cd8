/** Every rule of the Converse grammar catches what breaks it. */
import { expect, test } from "vitest"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import type { Encoded } from "../../src/wire.ts"
import { type Corruptions, double, drop, put, rewrite, swap } from "../any-wire/corruptions.ts"
import { own } from "../any-wire/histories.ts"
import { findsWhatBreaks, keepsRequestsApart } from "../any-wire/lint-rules.ts"
import { answer, call, segmentsOf, system, text, user } from "../requests.ts"
import { bedrockTarget, novaTarget, otherTarget, searchResult, searchUse, signed } from "./requests.ts"

const target = bedrockTarget({ model: { reasoning: { kind: "budget", tokens: 2_048 } } })
const hosted = (opaque: typeof searchUse) => ({ type: "hosted", name: "s", ...own(target, opaque) }) as const
/** tool 0, prompts 1 2, user 3, reasoning 4, search 5 6, text 7, calls 8 9, results 10 11, update 12. */
const legal = bedrockConverse.encode(
  segmentsOf([
    user("a"),
    answer(
      { type: "reasoning", text: "hm", ...own(target, signed("hm", "c2ln")) },
      hosted(searchUse),
      hosted(searchResult),
      text("b"),
      call(1),
      call(2),
    ),
    system("s"),
  ]),
  target,
)
const rulesOf = (encoded: Encoded, to = target) =>
  bedrockConverse.lint(encoded, to).map((fault) => fault.rule)

const corruptions: Corruptions = {
  "a call loses its result": ["pairing", drop(11)],
  "all results are lost": ["pairing", drop(10, 2)],
  "a result loses its call": ["result-unknown", drop(9)],
  "a result is given twice": ["result-unknown", double(10)],
  "a result stands behind other content": ["result-order", swap(11, 12)],
  "somebody speaks before the results": ["pairing", double(3, 10)],
  "a call id is used twice": ["call-unique", rewrite(9, "call_2", "call_1")],
  "a call id has another shape": ["call-id", rewrite(9, "call_2", "call 2")],
  "a result's id has another shape": ["call-id", rewrite(11, "call_2", "")],
  "a call's name has another shape": ["tool-name", rewrite(9, '"read"', '"re ad"')],
  "an input is no object": ["call-input", rewrite(9, /"input":\{.*?\}/, '"input":[1]')],
  "a result is empty": ["text-empty", rewrite(10, '"content"}', '""}')],
  "a failed result has no content": [
    "text-empty",
    rewrite(10, /"content":\[.*\]/, '"content":[],"status":"error"'),
  ],
  "a result has no list of content": ["text-empty", rewrite(10, /"content":\[.*\]/, '"content":"x"')],
  "a result has an unknown status": ["block-shape", rewrite(10, "}]}", '}],"status":"maybe"}')],
  "a text is blank": ["text-empty", rewrite(7, '"b"', '" \\n"')],
  "a prompt is blank": ["text-empty", rewrite(1, /"text":".*?"/, '"text":" "')],
  "a prompt is no text": ["block-shape", rewrite(1, '"text"', '"words"')],
  "there is nothing to answer": ["role-last", drop(3, 10)],
  "the answer comes last": ["role-last", drop(8, 5)],
  "the answer comes first": ["role-first", drop(3)],
  "reasoning ends an answer": ["reasoning-final", swap(4, 9)],
  "reasoning is not signed": ["reasoning-signature", rewrite(4, "c2ln", "")],
  "reasoning is another target's": ["reasoning-native", put(4, { native: "other" })],
  "reasoning is nobody's": ["reasoning-native", put(4, { native: null })],
  "a search is nobody's": ["reasoning-native", put(5, { native: null })],
  "the answer that goes on does not begin with reasoning": ["reasoning-lead", drop(4)],
  "no tool is defined": ["tools-missing", drop(0)],
  "a tool is doubled": ["tool-unique", double(0)],
  "a tool's name has another shape": ["tool-name", rewrite(0, '"read"', '"re.ad"')],
  "a tool's description is blank": ["text-empty", rewrite(0, "Reads a file.", " ")],
  "a tool's input is no object": ["tool-schema", rewrite(0, '{"type":"object"', '{"type":"array"')],
  "a tool's input is a union": ["tool-schema", rewrite(0, '"required"', '"anyOf":[],"required"')],
  "segments change places": ["segment-order", swap(0, 1)],
  "a call stands on the user's side": ["block-shape", put(8, { role: "user" })],
  "an instruction has a role of its own": ["block-shape", put(12, { role: "system" })],
  "a block has no role": ["block-shape", put(7, { role: null })],
  "a block is of no known kind": ["block-shape", rewrite(7, '"text"', '"hologram"')],
  "a block is no JSON": ["block-shape", rewrite(7, "}", "")],
  "a block is a cache point": ["markers", rewrite(3, /^.*$/, '{"cachePoint":{"type":"default"}}')],
  "reasoning can be marked": ["markers", put(4, { markable: true })],
  "half a pair is escaped": ["surrogate", rewrite(7, '"b"', '"\\ud800"')],
}

findsWhatBreaks({
  wire: bedrockConverse,
  target,
  legal,
  blocks: 13,
  corruptions,
  settings: [
    ["another model", "us.anthropic", "other"],
    ["no output", '"maxTokens":8192', '"maxTokens":0'],
    ["a budget that is too small", '"budget_tokens":2048', '"budget_tokens":1000'],
    ["a budget beyond the output", '"budget_tokens":2048', '"budget_tokens":8192'],
    [
      "a tool that is not defined",
      '"inferenceConfig"',
      '"toolConfig":{"toolChoice":{"tool":{"name":"x"}}},"inferenceConfig"',
    ],
  ],
})

test("[LL3 LL5] refuses marks that one family takes and another does not", () => {
  const marked = bedrockConverse.encode(segmentsOf([user("a"), answer(call(1))]), bedrockTarget())
  const as = (to: typeof target) => ({
    ...marked,
    params: marked.params.replace(bedrockTarget().model, to.model),
  })
  expect(rulesOf(as(novaTarget()), novaTarget())).toEqual(["markers", "markers", "markers"])
  expect(rulesOf(as(otherTarget()), otherTarget())).toHaveLength(6)
})

keepsRequestsApart(bedrockConverse, bedrockTarget())
