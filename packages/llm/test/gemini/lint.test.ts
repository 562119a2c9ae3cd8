/** Every rule of the Gemini grammar catches what breaks it. */
import { expect, test } from "vitest"
import { gemini } from "../../src/gemini/index.ts"
import type { Encoded } from "../../src/wire.ts"
import { type Corruptions, double, drop, put, rewrite, swap } from "../any-wire/corruptions.ts"
import { own } from "../any-wire/histories.ts"
import { findsWhatBreaks } from "../any-wire/lint-rules.ts"
import { answer, call, segmentsOf, system, text, user } from "../requests.ts"
import { code, codeResult, geminiTarget, olderTarget, signedCall, thought } from "./requests.ts"

const target = geminiTarget()
const hosted = (opaque: typeof code) => ({ type: "hosted", name: "code", ...own(target, opaque) }) as const
/** tool 0, prompts 1 2, user 3, thought 4, code 5 6, text 7, calls 8 9, responses 10 11, update 12. */
const legal = gemini.encode(
  segmentsOf([
    user("a"),
    answer(
      { type: "reasoning", text: "hm", ...own(target, thought("hm", "dGhvdWdodA==")) },
      hosted(code),
      hosted(codeResult),
      text("b"),
      call(1, own(target, signedCall("fc-1", "Y2FsbA=="))),
      call(2, { ...own(target, signedCall("fc-2")), name: "list" }),
    ),
    system("s"),
  ]),
  target,
)
const rulesOf = (encoded: Encoded, to = target) => gemini.lint(encoded, to).map((fault) => fault.rule)

const corruptions: Corruptions = {
  "a call loses its response": ["pairing", drop(11)],
  "all responses are lost": ["pairing", drop(10, 2)],
  "a response loses its call": ["result-unknown", drop(9)],
  "a response is given twice": ["result-unknown", double(10)],
  "a response has another name": ["result-unknown", rewrite(11, '"list"', '"read"')],
  "a response has another id": ["result-unknown", rewrite(11, "fc-2", "fc-3")],
  "a response stands behind other content": ["result-order", swap(11, 12)],
  "somebody speaks before the responses": ["pairing", double(3, 10)],
  "a call id is used twice": ["call-unique", rewrite(9, "fc-2", "fc-1")],
  "a call id is empty": ["call-id", rewrite(9, "fc-2", "")],
  "a call's name has another shape": ["tool-name", rewrite(9, '"list"', '"li st"')],
  "arguments are no object": ["call-input", rewrite(9, /"args":\{.*?\}/, '"args":[1]')],
  "a response is empty": ["text-empty", rewrite(10, '"content"', '" "')],
  "a text is blank": ["text-empty", rewrite(7, '"b"', '" \\n"')],
  "an input is blank": ["text-empty", rewrite(3, '"a"', '""')],
  "a prompt is blank": ["text-empty", rewrite(1, /"text":".*?"/, '"text":" "')],
  "a prompt is no text": ["block-shape", rewrite(1, '"text"', '"words"')],
  "an answer is nothing but a thought": ["text-empty", drop(5, 7)],
  "there is nothing to answer": ["role-last", drop(3, 10)],
  "the answer comes last": ["role-last", drop(8, 5)],
  "the answer comes first": ["role-first", drop(3)],
  "a thought ends an answer": ["reasoning-final", swap(4, 9)],
  "a thought is another target's": ["reasoning-native", put(4, { native: "other" })],
  "a thought is nobody's": ["reasoning-native", put(4, { native: null })],
  "a hosted part is nobody's": ["reasoning-native", put(5, { native: null })],
  "a call id is another target's": ["reasoning-native", put(8, { native: "other" })],
  "the first call since the user spoke is not signed": [
    "reasoning-signature",
    (blocks) => {
      rewrite(8, ',"thoughtSignature":"Y2FsbA=="', "")(blocks)
      drop(12)(blocks)
    },
  ],
  "a signature is empty": ["reasoning-signature", rewrite(4, "dGhvdWdodA==", "")],
  "a tool is doubled": ["tool-unique", double(0)],
  "a tool's name has another shape": ["tool-name", rewrite(0, '"read"', '"9read"')],
  "a tool's input is no object": ["tool-schema", rewrite(0, '{"type":"object"', '{"type":"array"')],
  "a tool's input says what the provider does not know": [
    "tool-schema",
    rewrite(0, '{"type":"string"}', '{"type":"string","const":"a"}'),
  ],
  "segments change places": ["segment-order", swap(0, 1)],
  "a call stands on the user's side": ["block-shape", put(8, { role: "user" })],
  "a response stands on the model's side": ["block-shape", put(10, { role: "assistant" })],
  "an instruction has a role of its own": ["block-shape", put(12, { role: "system" })],
  "a part has no role": ["block-shape", put(7, { role: null })],
  "a part is no JSON": ["block-shape", rewrite(7, "}", "")],
  "a part can be marked": ["markers", put(3, { markable: true })],
  "half a pair is escaped": ["surrogate", rewrite(7, '"b"', '"\\ud800"')],
}

findsWhatBreaks({
  wire: gemini,
  target,
  legal,
  blocks: 13,
  corruptions,
  settings: [
    ["another model", '"gemini-3-pro-preview"', '"other"'],
    ["no output", "8192", "0"],
    ["a temperature above the range", "8192", '8192,"temperature":2.5'],
    ["a share above the range", "8192", '8192,"topP":1.5'],
    ["too many stop sequences", "8192", '8192,"stopSequences":["a","b","c","d","e","f"]'],
    ["two limits of thinking", "8192", '8192,"thinkingConfig":{"thinkingBudget":1,"thinkingLevel":"low"}'],
    [
      "a function that is not defined",
      '"generationConfig"',
      '"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["x"]}},"generationConfig"',
    ],
  ],
})

test("[LL3] refuses a level of thinking to models that count tokens", () => {
  const level = { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } }
  const older = olderTarget({ body: level })
  expect(rulesOf(gemini.encode(segmentsOf([user("a")]), older), older)).toEqual(["params"])
  const newer = geminiTarget({ body: level })
  expect(rulesOf(gemini.encode(segmentsOf([user("a")]), newer), newer)).toEqual([])
})

test("[LL3] wants signatures only of models that check them", () => {
  const bare = gemini.encode(segmentsOf([user("a"), answer(call(1))]), olderTarget())
  expect(gemini.lint(bare, olderTarget())).toEqual([])
  const params = bare.params.replace("gemini-2.5-flash", target.model)
  expect(rulesOf({ ...bare, params })).toEqual(["reasoning-signature"])
})

test("[LL3] wants signatures only of calls since the user spoke last", () => {
  const bare = gemini.encode(segmentsOf([user("a"), answer(call(1)), user("b")]), olderTarget())
  const params = bare.params.replace("gemini-2.5-flash", target.model)
  expect(rulesOf({ ...bare, params })).toEqual([])
})
