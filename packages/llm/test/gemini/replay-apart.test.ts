/** Bodies that mean something else are told apart, and what cannot be read is named. */
import { describe, expect, test } from "vitest"
import { findDifference } from "../../src/recording/difference.ts"
import { requestMeaning } from "../../src/recording/meaning.ts"
import {
  called,
  choosing,
  functions,
  gave,
  hi,
  image,
  loop,
  parallel,
  replay,
  time,
  weather,
  withConfig,
  withTool,
} from "./bodies.ts"

describe("what means something else is told apart", () => {
  const pairs: Readonly<Record<string, readonly [object, object]>> = {
    "a failure and a result": [loop({ error: "x" }), loop({ output: "x" })],
    "a failure beside more and a result": [
      loop({ error: "x", code: 1 }),
      loop({ output: '{"error":"x","code":1}' }),
    ],
    "two results": [loop({ temperature: 22 }), loop({ temperature: 23 })],
    "an unknown member and what it holds": [loop({ weather: "x" }), loop({ output: "x" })],
    "results of two calls": [
      parallel([called("f"), called("f")], [gave("f", { output: "a" }), gave("f", { output: "b" })]),
      parallel([called("f"), called("f")], [gave("f", { output: "b" }), gave("f", { output: "a" })]),
    ],
    "results of two calls with ids": [
      parallel(
        [called("f", { id: "1" }), called("f", { id: "2" })],
        [gave("f", { output: "a" }, { id: "1" }), gave("f", { output: "b" }, { id: "2" })],
      ),
      parallel(
        [called("f", { id: "1" }), called("f", { id: "2" })],
        [gave("f", { output: "a" }, { id: "2" }), gave("f", { output: "b" }, { id: "1" })],
      ),
    ],
    "images of two results": [
      parallel([called("f"), called("g")], [gave("f", {}, { parts: [image] }), gave("g", {})]),
      parallel([called("f"), called("g")], [gave("f", {}), gave("g", {}, { parts: [image] })]),
    ],
    "two texts and one": [
      { contents: [{ role: "user", parts: [{ text: "a" }, { text: "b" }] }] },
      { contents: [{ role: "user", parts: [{ text: "ab" }] }] },
    ],
    "two roles": [{ contents: hi }, { contents: [{ role: "model", parts: [{ text: "Hi" }] }] }],
    "two prompts": [
      { contents: hi, systemInstruction: { parts: [{ text: "a" }, { text: "b" }] } },
      { contents: hi, systemInstruction: { parts: [{ text: "ab" }] } },
    ],
    "a thought and words": [
      { contents: [...hi, { role: "model", parts: [{ text: "a", thought: true }, { text: "b" }] }, ...hi] },
      { contents: [...hi, { role: "model", parts: [{ text: "a" }, { text: "b" }] }, ...hi] },
    ],
    "two signatures": [
      { contents: [...hi, { role: "model", parts: [{ text: "a", thoughtSignature: "YQ==" }] }, ...hi] },
      { contents: [...hi, { role: "model", parts: [{ text: "a", thoughtSignature: "Yg==" }] }, ...hi] },
    ],
    "an image before and behind words": [
      { contents: [{ role: "user", parts: [image, { text: "a" }] }] },
      { contents: [{ role: "user", parts: [{ text: "a" }, image] }] },
    ],
    "an optional and a required property": [
      withTool({ type: "OBJECT", properties: { a: { type: "STRING" } }, required: ["a"] }),
      withTool({ type: "OBJECT", properties: { a: { type: "STRING" } } }),
    ],
    "a property with another case": [
      withTool({ type: "OBJECT", properties: { the_a: { type: "STRING" } } }),
      withTool({ type: "OBJECT", properties: { theA: { type: "STRING" } } }),
    ],
    "arguments with another case": [
      parallel([{ functionCall: { name: "f", args: { the_a: 1 } } }], [gave("f", {})]),
      parallel([{ functionCall: { name: "f", args: { theA: 1 } } }], [gave("f", {})]),
    ],
    "any function and one of them": [
      choosing({ mode: "ANY" }, weather, time),
      choosing({ mode: "ANY", allowedFunctionNames: ["get_time"] }, weather, time),
    ],
    "a choice and no word": [choosing({ mode: "ANY" }, weather), choosing({ mode: "AUTO" }, weather)],
    "no calls and no word": [choosing({ mode: "NONE" }, weather), choosing({}, weather)],
    "valid calls and no word": [choosing({ mode: "VALIDATED" }, weather), choosing({}, weather)],
    "two budgets": [
      withConfig({ thinkingConfig: { thinkingBudget: 1 } }),
      withConfig({ thinkingConfig: { thinkingBudget: 2 } }),
    ],
    "no budget and no word": [withConfig({ thinkingConfig: { thinkingBudget: 0 } }), withConfig({})],
    "two limits": [withConfig({ maxOutputTokens: 1 }), withConfig({ maxOutputTokens: 2 })],
    "JSON and text": [withConfig({ responseMimeType: "application/json" }), withConfig({})],
    "a hosted tool and none": [{ contents: hi, tools: [{ googleSearch: {} }] }, { contents: hi }],
  }

  test.each(Object.entries(pairs))("[LL1] %s", (_, [one, other]) => {
    const meaning = (body: object) => requestMeaning("gemini", body as never, one as never)
    expect(findDifference(meaning(one), meaning(other))).not.toBeNull()
    expect(findDifference(meaning(one), meaning(one))).toBeNull()
  })
})

describe("what the canonical request has no word for is named", () => {
  const input = (...parts: readonly object[]) => ({ contents: [{ role: "user", parts }] })
  const said = (...parts: readonly object[]) => ({ contents: [...hi, { role: "model", parts }, ...hi] })
  const unread: Readonly<Record<string, readonly [object, string]>> = {
    "a document": [
      input({ inlineData: { mimeType: "application/pdf", data: "YQ==" } }),
      "contents[0]: inlineData application/pdf",
    ],
    "an image that the provider does not take": [
      input({ inlineData: { mimeType: "image/gif", data: "R0lGODlh" } }),
      "contents[0]: inlineData image/gif",
    ],
    "a file of the provider's": [input({ fileData: { fileUri: "https://x/y" } }), "contents[0]: fileData"],
    "how closely an image is read": [
      input({ ...image, mediaResolution: { level: "L" } }),
      "contents[0]: mediaResolution",
    ],
    "an image of the model's": [said(image), "contents[1]: inlineData"],
    "a role of another API": [
      { contents: [...hi, { role: "assistant", parts: [{ text: "a" }] }, ...hi] },
      "contents[1]: role assistant",
    ],
    "a content without parts": [
      { contents: [...hi, { role: "model", parts: [] }, ...hi] },
      "contents[1]: no parts",
    ],
    "a response without its call": [
      input(gave("f", {})),
      "contents[0]: functionResponse of f without its call",
    ],
    "a call without a response": [said(called("f")), "contents[2]: functionCall of f without a response"],
    "a last call without a response": [
      { contents: [...hi, { role: "model", parts: [called("f")] }] },
      "contents: functionCall of f without a response",
    ],
    "a response that is planned": [
      loop({ output: "a" }, { scheduling: "SILENT" }),
      "contents[2]: functionResponse.scheduling",
    ],
    "a document inside of a result": [
      loop({}, { parts: [{ inlineData: { mimeType: "application/pdf", data: "YQ==" } }] }),
      "contents[2]: functionResponse.parts: inlineData application/pdf",
    ],
    "an image in the instruction": [
      { contents: hi, systemInstruction: { parts: [image] } },
      "systemInstruction: inlineData",
    ],
    "a stored prefix": [{ contents: hi, cachedContent: "cachedContents/1" }, "cachedContent"],
    "another model than the address names": [{ contents: hi, model: "models/other" }, "model"],
    "some functions of several": [
      choosing({ mode: "ANY", allowedFunctionNames: ["get_time", "get_weather"] }, weather, time, {
        name: "f",
      }),
      "toolConfig.functionCallingConfig.allowedFunctionNames",
    ],
    "calls that are valid": [
      choosing({ mode: "VALIDATED" }, weather),
      "toolConfig.functionCallingConfig.mode: VALIDATED",
    ],
    "where a search is made": [
      { contents: hi, toolConfig: { retrievalConfig: { languageCode: "en" } } },
      "toolConfig.retrievalConfig",
    ],
    "servers of tools": [{ contents: hi, tools: [{ mcpServers: [{ name: "a" }] }] }, "tools.mcpServers"],
    "what a function gives": [
      { contents: hi, tools: functions({ ...time, response: { type: "STRING" } }) },
      "tools.get_time: response",
    ],
    "a schema that the wire cannot say": [
      withTool(
        { type: "object", properties: { a: { type: "integer", exclusiveMinimum: 0 } } },
        "parametersJsonSchema",
      ),
      "tools.f: schema.a.exclusiveMinimum",
    ],
    "a schema that holds itself": [
      withTool(
        {
          type: "object",
          properties: { a: { $ref: "#/$defs/a" } },
          $defs: { a: { type: "object", properties: { a: { $ref: "#/$defs/a" } } } },
        },
        "parametersJsonSchema",
      ),
      "tools.f: schema.a.a.$ref",
    ],
  }

  test.each(Object.entries(unread))("[LL1] %s", (_, [body, place]) => {
    const replayed = replay(body)
    expect(replayed.kind === "unread" && replayed.places).toContain(place)
  })
})
