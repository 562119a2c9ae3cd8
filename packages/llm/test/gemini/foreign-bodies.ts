/** What other clients send: legal bodies in every shape, and some that are mended when they are read. */
import {
  called,
  choosing,
  functions,
  gave,
  hi,
  image,
  jsonSchema,
  loop,
  parallel,
  png,
  time,
  weather,
  withConfig,
  withTool,
} from "./bodies.ts"
import { code, codeResult } from "./requests.ts"

type Bodies = Readonly<Record<string, object>>

export const legalBodies: Bodies = {
  "without an output limit": { contents: hi },
  "with a content without its role": { contents: [{ parts: [{ text: "Hi" }] }] },
  "with one content and one part that are no lists": { contents: { role: "user", parts: { text: "Hi" } } },
  "with two contents of the user's in a row": { contents: [...hi, ...hi] },
  "with two contents of the model's in a row": {
    contents: [
      ...hi,
      { role: "model", parts: [{ text: "a" }] },
      { role: "model", parts: [{ text: "b" }] },
      ...hi,
    ],
  },
  "with several texts of the user's": {
    contents: [{ role: "user", parts: [{ text: "a" }, { text: "b" }] }],
  },
  "with the model in the body": { model: "models/gemini-2.5-flash", contents: hi },
  "with fields that are null": { contents: hi, systemInstruction: null, generationConfig: { topK: null } },

  "with a role of the instruction": {
    contents: hi,
    systemInstruction: { role: "system", parts: [{ text: "s" }] },
  },
  "with an instruction of one part that is no list": {
    contents: hi,
    system_instruction: { parts: { text: "s" } },
  },
  "with four parts of an instruction": {
    contents: hi,
    systemInstruction: { parts: ["a", "b", "c", "d"].map((words) => ({ text: words })) },
  },

  "with an image before words": { contents: [{ role: "user", parts: [image, { text: "What?" }] }] },
  "with an image behind words": { contents: [{ role: "user", parts: [{ text: "What?" }, image] }] },
  "with an image between words": {
    contents: [{ role: "user", parts: [{ text: "This" }, image, { text: "or" }, image, { text: "that?" }] }],
  },
  "with an image alone": { contents: [{ role: "user", parts: [image] }] },
  "with an image in the other alphabet, unpadded": {
    contents: [
      {
        role: "user",
        parts: [
          {
            inline_data: { mime_type: "image/png", data: Buffer.from(png, "base64").toString("base64url") },
          },
        ],
      },
    ],
  },
  "in snake case": {
    contents: [
      ...hi,
      { role: "model", parts: [{ function_call: { name: "get_weather", args: { the_city: 1 } } }] },
      { parts: [{ function_response: { name: "get_weather", response: { the_result: 1 } } }] },
    ],
    system_instruction: { parts: [{ text: "s" }] },
    tools: [
      {
        function_declarations: [
          {
            name: "get_weather",
            description: "W.",
            parameters: {
              type: "OBJECT",
              properties: {
                the_city: { type: "STRING", max_length: "9" },
                b: { any_of: [{ type: "STRING" }] },
              },
              property_ordering: ["the_city", "b"],
            },
          },
        ],
      },
      { google_search: {} },
    ],
    tool_config: {
      function_calling_config: { mode: "ANY", allowed_function_names: ["get_weather"] },
      include_server_side_tool_invocations: true,
    },
    generation_config: {
      max_output_tokens: 9,
      top_p: 0.5,
      top_k: 3,
      stop_sequences: ["x"],
      thinking_config: { thinking_budget: 9, include_thoughts: true },
    },
    safety_settings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
  },
  "with safety settings and labels": {
    contents: hi,
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
    labels: { my_team: "a" },
  },

  "with a result under output": loop({ output: "sunny" }),
  "with a result that is an object": loop({ temperature: 22, unit: "C" }),
  "with an empty result": loop({}),
  "with a result under result": loop({ result: "sunny" }),
  "with an object under result": loop({ result: { temperature: 22 } }),
  "with a list under result": loop({ result: [1, 2] }),
  "with a number under output": loop({ output: 22 }),
  "with a name beside content": loop({ name: "get_weather", content: "sunny" }),
  "with a name beside an object": loop({ name: "get_weather", content: { temperature: 22 } }),
  "with a text under content": loop({ content: "sunny" }),
  "with an object under content": loop({ content: { temperature: 22 } }),
  "with parts under content": loop({ content: [{ type: "text", text: "sunny" }] }),
  "with a failure": loop({ error: "no such city" }),
  "with a failure that is an object": loop({ error: { code: 404, message: "no such city" } }),
  "with a failure beside more": loop({ error: "no such city", code: 404 }),
  "with no failure beside an output": loop({ output: "sunny", error: null }),
  "with a result of the role function": loop({ output: "sunny" }, {}, { role: "function" }),
  "with a result without a role": loop({ output: "sunny" }, {}, {}),
  "with a result that does not go on": loop({ output: "sunny" }, { willContinue: false }),

  "with parallel calls in order": parallel(
    [called("get_weather"), called("get_time")],
    [gave("get_weather", { output: "a" }), gave("get_time", { output: "b" })],
  ),
  "with responses in another order": parallel(
    [called("get_weather"), called("get_time")],
    [gave("get_time", { output: "b" }), gave("get_weather", { output: "a" })],
  ),
  "with ids, in another order": parallel(
    [called("get_time", { id: "1" }), called("get_time", { id: "2" })],
    [gave("get_time", { output: "b" }, { id: "2" }), gave("get_time", { output: "a" }, { id: "1" })],
  ),
  "with ids of calls alone": parallel(
    [called("get_weather", { id: "1" }), called("get_time", { id: "2" })],
    [gave("get_weather", { output: "a" }), gave("get_time", { output: "b" })],
  ),
  "with ids of responses alone": parallel(
    [called("get_weather"), called("get_time")],
    [gave("get_weather", { output: "a" }, { id: "1" }), gave("get_time", { output: "b" }, { id: "2" })],
  ),
  "with each response in a content of its own": {
    contents: [
      ...hi,
      { role: "model", parts: [called("get_weather"), called("get_weather")] },
      { role: "user", parts: [gave("get_weather", { output: "a" })] },
      { role: "user", parts: [gave("get_weather", { output: "b" })] },
    ],
    tools: functions(weather),
  },
  "with words behind the responses": {
    contents: [
      ...hi,
      { role: "model", parts: [{ text: "I look." }, called("get_weather")] },
      { role: "user", parts: [gave("get_weather", { output: "a" }), { text: "Go on." }] },
    ],
  },
  "with a call without arguments": {
    contents: [
      ...hi,
      { role: "model", parts: [{ functionCall: { name: "get_time" } }] },
      { role: "user", parts: [gave("get_time", { output: "noon" })] },
    ],
    tools: functions(time),
  },
  "with a loop of two steps": {
    contents: [
      ...hi,
      { role: "model", parts: [called("get_time")] },
      { role: "user", parts: [gave("get_time", { output: "noon" })] },
      { role: "model", parts: [{ text: "Noon." }, called("get_weather")] },
      { role: "user", parts: [gave("get_weather", { result: 22 })] },
      { role: "model", parts: [{ text: "22." }] },
      ...hi,
    ],
    tools: functions(weather, time),
  },

  "with types in capitals": withTool(weather.parameters),
  "with a schema of JSON Schema": withTool(jsonSchema, "parametersJsonSchema"),
  "with a schema that names formats": withTool({
    type: "OBJECT",
    properties: {
      a: { type: "STRING", format: "email", nullable: true },
      b: { type: "INTEGER", format: "int32", nullable: false },
      c: { type: "ARRAY", items: { type: "STRING", enum: ["x"] }, minItems: "1" },
      type: { type: "STRING", example: "e" },
    },
    propertyOrdering: ["a", "b"],
  }),
  "with parameters of JSON Schema that have no properties": withTool(
    { type: "object" },
    "parametersJsonSchema",
  ),
  "with a tool without parameters and description": { contents: hi, tools: functions({ name: "f" }) },
  "with functions in two entries": { contents: hi, tools: [...functions(weather), ...functions(time)] },
  "with no tools in a list": { contents: hi, tools: [{ functionDeclarations: [] }] },
  "with hosted tools in one entry": { contents: hi, tools: [{ googleSearch: {}, codeExecution: {} }] },
  "with code that the provider ran": {
    contents: [...hi, { role: "model", parts: [code, codeResult, { text: "1" }] }, ...hi],
    tools: [{ code_execution: {} }],
  },

  "with the default mode": choosing({ mode: "AUTO" }, weather),
  "with a mode that is not given": choosing({}, weather),
  "with no calls": choosing({ mode: "NONE" }, weather),
  "with a mode in small letters": choosing({ mode: "any" }, weather),
  "with one allowed name of several": choosing(
    { mode: "ANY", allowedFunctionNames: ["get_time"] },
    weather,
    time,
  ),
  "with all names allowed": choosing(
    { mode: "ANY", allowedFunctionNames: ["get_time", "get_weather"] },
    weather,
    time,
  ),

  "with a budget of thinking alone": withConfig({ thinkingConfig: { thinkingBudget: 1_024 } }),
  "with a budget and no thoughts": withConfig({
    thinkingConfig: { thinkingBudget: 9, includeThoughts: false },
  }),
  "with a budget and thoughts": withConfig({
    thinkingConfig: { thinkingBudget: 9, includeThoughts: true },
  }),
  "with thinking as the model sees fit": withConfig({ thinkingConfig: { thinkingBudget: -1 } }),
  "without thinking": withConfig({ thinkingConfig: { thinkingBudget: 0 } }),
  "without thinking, and its thoughts": withConfig({
    thinkingConfig: { thinkingBudget: 0, includeThoughts: true },
  }),
  "with thoughts alone": withConfig({ thinkingConfig: { includeThoughts: true } }),
  "with no word on thinking": withConfig({ thinkingConfig: {} }),
  "with a schema of the answer": withConfig({
    responseMimeType: "application/json",
    responseSchema: { type: "OBJECT", properties: { a: { type: "STRING" } } },
  }),
  "with a JSON Schema of the answer": withConfig({
    responseMimeType: "application/json",
    responseJsonSchema: jsonSchema,
  }),
  "with a JSON Schema of the answer that is more than a projection": withConfig({
    responseMimeType: "application/json",
    responseJsonSchema: { type: "object", properties: { a: { type: "integer", exclusiveMinimum: 0 } } },
  }),
  "with JSON of any schema": withConfig({ responseMimeType: "application/json" }),
  "with plain text": withConfig({ responseMimeType: "text/plain" }),
  "with an enumeration": withConfig({
    responseMimeType: "text/x.enum",
    responseSchema: { type: "STRING", enum: ["a", "b"] },
  }),
  "with every other setting": withConfig({
    temperature: 0,
    topP: 0.9,
    topK: 40,
    candidateCount: 1,
    seed: 7,
    presencePenalty: 0.1,
    frequencyPenalty: 0.1,
    responseLogprobs: true,
    logprobs: 2,
    stopSequences: ["x"],
    responseModalities: ["TEXT"],
    mediaResolution: "MEDIA_RESOLUTION_LOW",
  }),
  "with no stop sequences": withConfig({ stopSequences: [] }),
}

/** For models of the newest generation. */
export const newestBodies: Bodies = {
  "with a level of thinking": withConfig({
    thinkingConfig: { thinkingLevel: "low", includeThoughts: true },
  }),
  "with a level in capitals": withConfig({ thinkingConfig: { thinkingLevel: "HIGH" } }),
  "with the lowest level": withConfig({ thinkingConfig: { thinkingLevel: "MINIMAL" } }),
  "with a budget that older models count": withConfig({ thinkingConfig: { thinkingBudget: 512 } }),
  "with a budget of nothing": withConfig({ thinkingConfig: { thinkingBudget: 0 } }),
  "with signatures on every kind of part": {
    contents: [
      ...hi,
      {
        role: "model",
        parts: [
          { text: "hm", thought: true, thoughtSignature: "YQ==" },
          { text: "I look.", thoughtSignature: "Yg==", thought: false },
          { ...called("get_weather", { id: "1" }), thoughtSignature: "Yy0_" },
          called("get_time", { id: "2" }),
        ],
      },
      {
        role: "user",
        parts: [
          gave("get_weather", { output: "a" }, { id: "1" }),
          gave("get_time", { output: "b" }, { id: "2" }),
        ],
      },
      { role: "model", parts: [{ text: "So." }, { text: "", thoughtSignature: "ZA" }] },
      ...hi,
    ],
    tools: functions(weather, time),
  },
  "with a call of another model, without a signature": {
    ...loop({ output: "a" }),
    contents: [...loop({ output: "a" }).contents, ...hi],
  },
  "with either stand-in for a signature": {
    contents: [
      ...hi,
      {
        role: "model",
        parts: [{ ...called("get_weather"), thoughtSignature: "context_engineering_is_the_way_to_go" }],
      },
      { role: "user", parts: [gave("get_weather", { output: "a" })] },
    ],
    tools: functions(weather),
  },
  "with images inside of results": parallel(
    [called("get_weather"), called("get_time")],
    [
      gave("get_weather", { output: "a" }, { parts: [image] }),
      gave("get_time", {}, { parts: [image, { inline_data: { mime_type: "image/png", data: png } }] }),
      { text: "And now?" },
    ],
  ),
  "with functions beside hosted tools": {
    contents: hi,
    tools: [...functions(weather), { googleSearch: {} }],
    toolConfig: { includeServerSideToolInvocations: true, functionCallingConfig: { mode: "VALIDATED" } },
  },
}

/** Illegal as written, with the rule that says so; what they mean is clear. */
export const mendedBodies: Readonly<Record<string, readonly [rule: string, body: object]>> = {
  "with blank text beside an image": [
    "text-empty",
    { contents: [{ role: "user", parts: [{ text: "" }, image] }] },
  ],
  "with an instruction of texts": ["block-shape", { contents: hi, systemInstruction: { parts: ["s"] } }],
  "with an instruction that is a text": ["block-shape", { contents: hi, systemInstruction: "s" }],
  "with a blank part of an instruction": [
    "text-empty",
    { contents: hi, systemInstruction: { parts: [{ text: "a" }, { text: " " }, { text: "b" }] } },
  ],
  "with a blank result": [
    "text-empty",
    { ...loop({ output: "" }), contents: [...loop({ output: "" }).contents, ...hi] },
  ],
  "with parameters that have no properties": ["tool-schema", withTool({ type: "OBJECT", properties: {} })],
  "with a signature on nothing": [
    "block-shape",
    { contents: [...hi, { role: "model", parts: [{ text: "So." }, { thought_signature: "ZQ==" }] }, ...hi] },
  ],
}
