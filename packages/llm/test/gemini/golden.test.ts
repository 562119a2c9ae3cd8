/** The bytes of the Gemini encoder, pinned: a change without a new encoder version fails. */
import { gemini } from "../../src/gemini/index.ts"
import { keepsGolden } from "../golden.ts"
import { illustrated, own } from "../any-wire/histories.ts"
import { answer, call, notice, segmentsOf, system, text, thinking, user } from "../requests.ts"
import {
  code,
  codeResult,
  geminiTarget,
  mark,
  olderTarget,
  signedCall,
  signedText,
  thought,
} from "./requests.ts"

const target = geminiTarget()
const everyKind = segmentsOf([
  user("fix \ud800 it"),
  answer(
    { type: "reasoning", text: "hm", ...own(target, thought("hm", "dGhvdWdodA==")) },
    { type: "hosted", name: "code", ...own(target, code) },
    { type: "hosted", name: "code", ...own(target, codeResult) },
    { type: "text", text: "I look.", ...own(target, signedText("dGV4dA==")) },
    call(1, {
      input: { b: 1, a: [true, null, -0], "10": "ten" },
      ...own(target, signedCall("fc-1", "Y2FsbA==")),
    }),
    call(2, { name: "not a tool", input: "junk", result: " ", failed: true }),
    { type: "reasoning", text: "", ...own(target, mark("bWFyaw==")) },
  ),
  answer(thinking("elsewhere"), text("half an ans")),
  notice("The answer was cut. </notice> & more"),
  system("The date changed."),
])

keepsGolden(gemini, {
  "a first prompt": { segments: segmentsOf([user("Hello")]), target, previous: 0 },
  "native parts, strangers and half a pair": { segments: everyKind, target, previous: 5 },
  "the same for an older model": { segments: everyKind, target: olderTarget(), previous: 5 },
  "every option": {
    segments: segmentsOf([user("one")]),
    target: geminiTarget({
      generation: {
        outputTokensMax: 100,
        temperature: 0,
        topP: 1,
        stop: ["END"],
        toolChoice: "required",
        structured: {
          name: "a",
          schema: { type: "object", properties: { a: { type: ["string", "null"] } } },
        },
      },
      model: { reasoning: { kind: "effort", effort: "high" } },
      body: { generationConfig: { topK: 3 }, safetySettings: [] },
    }),
    previous: 0,
  },
  "hosted tools behind the functions": {
    segments: segmentsOf([user("Hello")]),
    target: geminiTarget({ model: { hostedTools: [{ googleSearch: {} }, { codeExecution: {} }] } }),
    previous: 0,
  },
  "images in prompts and in results": { segments: segmentsOf(illustrated), target, previous: 0 },
  "all segments": {
    segments: segmentsOf([user("go"), answer(text("b"), call(1)), user("c")], {
      historyBaseline: [notice("Summary of what was."), user("old words")],
      historyDelta: [notice("Since then.")],
    }),
    target,
    previous: 3,
  },
})
