/** Bodies as somebody wrote them: what reading and encoding again would mend in silence is found. */
import { expect, test } from "vitest"
import { gemini } from "../../src/gemini/index.ts"
import { lintBody } from "../../src/recording/lint-body.ts"
import {
  called,
  choosing,
  functions,
  gave,
  hi,
  image,
  loop,
  newer,
  older,
  parallel,
  time,
  weather,
  withConfig,
  withTool,
} from "./bodies.ts"

const rulesOf = (body: object, url?: string) =>
  lintBody(gemini, JSON.stringify(body), url)?.faults.map(({ rule, block }) => `${block} ${rule}`)

const schema = { type: "OBJECT", properties: { a: { type: "STRING" } } }

const illegal: Readonly<Record<string, readonly [fault: string, body: object]>> = {
  "a role of another API": [
    "1 block-shape",
    { contents: [...hi, { role: "assistant", parts: [{ text: "a" }] }, ...hi] },
  ],
  "no contents": ["0 role-last", { contents: [] }],
  "a content without parts": ["1 text-empty", { contents: [...hi, { role: "model", parts: [] }, ...hi] }],
  "two things in one part": [
    "0 block-shape",
    { contents: [{ role: "user", parts: [{ text: "a", ...image }] }] },
  ],
  "a response without its call": [
    "1 result-unknown",
    { contents: [...hi, { role: "user", parts: [gave("f", {})] }] },
  ],
  "a response to another function": [
    "4 result-unknown",
    parallel([called("get_weather", { id: "1" })], [gave("get_time", { output: "a" }, { id: "1" })]),
  ],
  "a response that is a text": ["3 block-shape", loop("sunny")],
  "a call without its response": ["5 pairing", parallel([called("f"), called("g")], [gave("f", {})])],
  "a function that is declared twice": ["1 tool-unique", { contents: hi, tools: functions(time, time) }],
  "a choice without functions": ["0 params", choosing({ mode: "AUTO" })],
  "a choice of no function": ["0 params", choosing({ mode: "ANY", allowedFunctionNames: ["x"] }, time)],
  "a choice of some functions, one of them unknown": [
    "0 params",
    choosing({ mode: "ANY", allowedFunctionNames: ["x", "get_time"] }, time, weather),
  ],
  "a choice of a function that may not be called": [
    "0 params",
    choosing({ mode: "AUTO", allowedFunctionNames: ["get_time"] }, time),
  ],
  "functions beside hosted tools of which nothing is told": [
    "0 params",
    { contents: hi, tools: [...functions(time), { googleSearch: {} }] },
  ],
  "no output": ["0 params", withConfig({ maxOutputTokens: 0 })],
  "a schema of the answer without its type": ["0 params", withConfig({ responseSchema: schema })],
  "two schemas of the answer": [
    "0 params",
    withConfig({ responseMimeType: "application/json", responseSchema: schema, responseJsonSchema: schema }),
  ],
  "two limits of thinking": [
    "0 params",
    withConfig({ thinkingConfig: { thinkingBudget: 1, thinkingLevel: "low" } }),
  ],
  "a temperature above the range": ["0 params", withConfig({ temperature: 3 })],
  "two schemas of a function": [
    "0 tool-schema",
    { contents: hi, tools: functions({ ...weather, parametersJsonSchema: schema }) },
  ],
  "a keyword that the schema does not have": [
    "0 tool-schema",
    withTool({ ...schema, additionalProperties: false }),
  ],
}

test.each(Object.entries(illegal))("[LL3] a body as written holds %s", (_, [fault, body]) =>
  expect(rulesOf(body, newer)).toContain(fault),
)

test("[LL3] each fault of a body is told once", () => {
  expect(rulesOf(choosing({ mode: "ANY", allowedFunctionNames: ["x"] }, time), older)).toEqual(["0 params"])
  expect(rulesOf(choosing({ mode: "ANY", allowedFunctionNames: ["x"] }), older)).toEqual(["0 params"])
})

test("[LL3] media inside of a response are for the newest models", () => {
  const body = loop({ output: "a" }, { parts: [image] })
  expect(rulesOf(body, older)).toEqual(["3 media-place"])
  expect(rulesOf({ ...body, contents: [...body.contents, ...hi] }, newer)).toEqual([])
})

test("[LL3] functions beside a structured answer are for the newest models", () => {
  const body = {
    ...withConfig({ responseMimeType: "application/json", responseSchema: schema }),
    tools: functions(time),
  }
  expect(rulesOf(body, older)).toEqual(["0 params"])
  expect(rulesOf(body, newer)).toEqual([])
  expect(rulesOf(body, older.replace("generativelanguage", "eu-aiplatform"))).toEqual([])
})

test.each<readonly [what: string, part: object]>([
  ["a document", { inlineData: { mimeType: "application/pdf", data: "YQ==" } }],
  ["a sound", { inlineData: { mimeType: "audio/wav", data: "YQ==" } }],
  ["an image that no Session holds", { inline_data: { mime_type: "image/heic", data: "YQ==" } }],
  ["a file of the provider's", { fileData: { fileUri: "https://x/y", mimeType: "video/mp4" } }],
])("[LL3] what cannot be read is legal as written: %s", (_, part) => {
  expect(rulesOf({ contents: [{ role: "user", parts: [part, { text: "What?" }] }] }, newer)).toEqual([])
})

test("[LL3] an image of the model's is legal as written", () =>
  expect(rulesOf({ contents: [...hi, { role: "model", parts: [image] }, ...hi] }, newer)).toEqual([]))

test("[LL3] a body without its address is held to what every model wants", () => {
  expect(rulesOf(loop({ output: "a" }))).toEqual([])
  expect(rulesOf(loop({ output: "a" }), newer)).toEqual(["2 reasoning-signature"])
})
