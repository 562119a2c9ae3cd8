/** Gemini: its rules, its stream, its faults and its cache. */
import { expect, test } from "vitest"
import { createProviderSim, scripted, textReply } from "../src/index.ts"
import type { Fault, Reply } from "../src/index.ts"
import { sealThought } from "../src/signature.ts"
import { postGemini } from "./clients.ts"
import { eventsByByte } from "./openai/requests.ts"
import { textOf } from "./requests.ts"

function geminiSim(reply: Reply = textReply("Hi.")) {
  const model = scripted(() => reply, { limit: { context: 5_000, output: 4_000 } })
  return createProviderSim({ models: { plain: model, thinker: { ...model, thinking: true } } })
}

const at = (model: string, method = "generateContent") => `/v1beta/models/${model}:${method}`
const user = { role: "user", parts: [{ text: "Hello" }] }
const body = (changes: object = {}) => ({ contents: [user], ...changes })
const call = (more: object = {}) => ({ functionCall: { name: "read", args: {} }, ...more })
const calling = (...parts: readonly object[]) => ({ role: "model", parts })
const response = { functionResponse: { name: "read", response: { output: "x" } } }
const responding = (...parts: readonly object[]) => ({ role: "user", parts })
const talk = (...contents: readonly object[]) => ({ contents: [user, ...contents] })
const parameters = { type: "object", properties: { a: { type: "string" } } }
const tools = (changes: object = {}) => [{ functionDeclarations: [{ name: "read", parameters, ...changes }] }]
const mode = (functionCallingConfig: object) => ({ toolConfig: { functionCallingConfig } })
const signed = (name: string) => ({ thoughtSignature: sealThought(name) })

const rules: readonly (readonly [
  title: string,
  legal: object,
  illegal: object,
  message: string,
  model?: string,
])[] = [
  [
    "an unknown field",
    body(),
    body({ x: 1 }),
    'Invalid JSON payload received. Unknown name "x": Cannot find field.',
  ],
  [
    "an unknown field inside",
    body(),
    body({ contents: [{ ...user, x: 1 }] }),
    `Invalid JSON payload received. Unknown name "x" at 'contents[0]': Cannot find field.`,
  ],
  ["no contents", body(), { contents: [] }, "* GenerateContentRequest.contents: contents is not specified\n"],
  [
    "no parts",
    body(),
    body({ contents: [{ role: "user", parts: [] }] }),
    "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.\n",
  ],
  [
    "an unknown role",
    body(),
    body({ contents: [{ ...user, role: "assistant" }] }),
    "Please use a valid role: user, model.",
  ],
  [
    "a part of nothing",
    body(),
    body({ contents: [{ role: "user", parts: [{ thought: true }] }] }),
    "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field\n",
  ],
  [
    "a response without a name",
    talk(calling(call()), responding(response)),
    talk(calling(call()), responding({ functionResponse: { name: "", response: {} } })),
    "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n",
  ],
  [
    "a call at the start",
    talk(calling(call()), responding(response)),
    { contents: [calling(call()), responding(response)] },
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  ],
  [
    "a call after the model",
    talk(calling(call()), responding(response)),
    talk(calling({ text: "x" }), calling(call()), responding(response)),
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  ],
  [
    "a response without a call",
    talk(calling(call()), responding(response)),
    talk(responding(response)),
    "Please ensure that function response turn comes immediately after a function call turn.",
  ],
  [
    "a response too few",
    talk(calling(call(), call()), responding(response, response)),
    talk(calling(call(), call()), responding(response)),
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
  ],
  [
    "a call at the end",
    talk(calling(call()), responding(response)),
    talk(calling(call())),
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
  ],
  [
    "calls and responses in one turn",
    talk(calling(call()), responding(response)),
    talk(calling(call(), response)),
    "Please ensure that function call turn contains at least one function_call part which can not be mixed with function_response parts.",
  ],
  [
    "a call without its signature",
    talk(calling(call(signed("thinker"))), responding(response)),
    talk(calling(call()), responding(response)),
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:read` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
    "thinker",
  ],
  [
    "a signature that nobody made",
    talk(calling(call({ thoughtSignature: "skip_thought_signature_validator" })), responding(response)),
    talk(calling(call({ thoughtSignature: "skip_the_validator" })), responding(response)),
    "Corrupted thought signature.",
    "thinker",
  ],
  [
    "the signature of another model",
    talk(calling(call(signed("thinker"))), responding(response)),
    talk(calling(call(signed("plain"))), responding(response)),
    "Corrupted thought signature.",
    "thinker",
  ],
  [
    "a name that no tool may have",
    body({ tools: tools() }),
    body({ tools: tools({ name: "9" }) }),
    "* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n",
  ],
  [
    "a tool twice",
    body({ tools: tools() }),
    body({ tools: [...tools(), ...tools()] }),
    "Duplicate function declaration found: read",
  ],
  [
    "a keyword that schemas do not have",
    body({ tools: tools({ parameters: undefined, parametersJsonSchema: { additionalProperties: false } }) }),
    body({ tools: tools({ parameters: { ...parameters, additionalProperties: false } }) }),
    `Invalid JSON payload received. Unknown name "additionalProperties" at 'tools[0].function_declarations[0].parameters': Cannot find field.`,
  ],
  [
    "an object of nothing",
    body({ tools: tools() }),
    body({ tools: tools({ parameters: { type: "object", properties: {} } }) }),
    "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties: should be non-empty for OBJECT type\n",
  ],
  [
    "a mode without tools",
    body({ tools: tools(), ...mode({ mode: "ANY" }) }),
    body(mode({ mode: "ANY" })),
    "Function calling config is set without function_declarations.",
  ],
  [
    "a tool of the provider that is no object",
    body({ tools: [{ googleSearch: {} }, { codeExecution: {} }] }),
    body({ tools: [{ googleSearch: true }] }),
    "Invalid value at 'tools[0].google_search' (TYPE_MESSAGE), true",
  ],
  [
    "a tool that the provider does not have",
    body({ tools: [{ urlContext: {} }] }),
    body({ tools: [{ webSearch: {} }] }),
    `Invalid JSON payload received. Unknown name "webSearch" at 'tools[0]': Cannot find field.`,
  ],
  [
    "functions beside tools of the provider",
    body({
      tools: [...tools(), { googleSearch: {} }],
      toolConfig: { includeServerSideToolInvocations: true },
    }),
    body({ tools: [...tools(), { googleSearch: {} }] }),
    "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
  ],
  [
    "a list of allowed tools where all are",
    body({ tools: tools(), ...mode({ mode: "ANY", allowedFunctionNames: ["read"] }) }),
    body({ tools: tools(), ...mode({ mode: "AUTO", allowedFunctionNames: ["read"] }) }),
    "Allowed function names can only be set when the function calling mode is ANY or VALIDATED.",
  ],
  [
    "a temperature that is no number",
    body({ generationConfig: { temperature: 1 } }),
    body({ generationConfig: { temperature: "hot" } }),
    `Invalid value at 'generation_config.temperature' (TYPE_FLOAT), "hot"`,
  ],
  [
    "a format that does not exist",
    body({ generationConfig: { responseMimeType: "text/x.enum" } }),
    body({ generationConfig: { responseMimeType: "text/html" } }),
    "* GenerateContentRequest.generation_config.response_mime_type: allowed mimetypes are `text/plain`, `application/json`, `application/xml`, `application/yaml` and `text/x.enum`.\n",
  ],
  [
    "a level of thinking that does not exist",
    body({ generationConfig: { thinkingConfig: { thinkingLevel: "low" } } }),
    body({ generationConfig: { thinkingConfig: { thinkingLevel: "deep" } } }),
    `Invalid value at 'generation_config.thinking_config.thinking_level' (type.googleapis.com/google.ai.generativelanguage.v1beta.ThinkingConfig.ThinkingLevel), "deep"`,
    "thinker",
  ],
  [
    "too high a temperature",
    body({ generationConfig: { temperature: 2 } }),
    body({ generationConfig: { temperature: 2.1 } }),
    "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].\n",
  ],
  [
    "too much output",
    body({ generationConfig: { maxOutputTokens: 4_000 } }),
    body({ generationConfig: { maxOutputTokens: 4_001 } }),
    "Unable to submit request because it has a maxOutputTokens value of 4001 but the supported range is from 1 (inclusive) to 4001 (exclusive). Update the value and try again.",
  ],
  [
    "more than the window holds",
    body(),
    body({ contents: [{ role: "user", parts: [{ text: "x".repeat(20_000) }] }] }),
    "The input token count (5004) exceeds the maximum number of tokens allowed (5000).",
  ],
]

test.each(rules.map((row) => [row[0], row] as const))("refuses %s", (_, row) => {
  const [, legal, illegal, message, model = "plain"] = row
  const sim = geminiSim()
  const good = sim.respond(postGemini(at(model), legal), 0)
  expect(good.status === 200 ? "" : textOf(good)).toBe("")
  const bad = sim.respond(postGemini(at(model), illegal), 0)
  expect(bad.status).toBe(400)
  expect(JSON.parse(textOf(bad))).toMatchObject({ error: { code: 400, message, status: "INVALID_ARGUMENT" } })
})

test("refuses thinking where there is none, another model and content that is not cached", () => {
  const sim = geminiSim()
  const said = (path: string, value: object) => {
    const { error } = JSON.parse(textOf(sim.respond(postGemini(path, value), 0))) as {
      error: { code: number; status: string }
    }
    return [error.code, error.status]
  }
  const thinking = body({ generationConfig: { thinkingConfig: { includeThoughts: true } } })
  expect(said(at("plain"), thinking)).toEqual([400, "INVALID_ARGUMENT"])
  expect(sim.respond(postGemini(at("thinker"), thinking), 0).status).toBe(200)
  expect(said(at("nobody"), body())).toEqual([404, "NOT_FOUND"])
  expect(said(at("plain"), body({ cachedContent: "cachedContents/1" }))).toEqual([403, "PERMISSION_DENIED"])
})

test("takes the names of the protocol buffers, null for absence, and calls of 2.5 without a signature", () => {
  const reply = scripted(() => textReply("Hi."), { thinking: true })
  const sim = createProviderSim({ models: { "gemini-2.5-pro": reply } })
  const answer = { function_response: { name: "read", response: { a_b: null } } }
  const taken = {
    contents: [user, calling({ function_call: { name: "read", args: { a_b: null } } }), responding(answer)],
    system_instruction: { parts: [{ text: "x" }] },
    tools: [{ function_declarations: [{ name: "read", parameters: { ...parameters, any_of: null } }] }],
    tool_config: { function_calling_config: { mode: "ANY", allowed_function_names: null } },
    generation_config: { max_output_tokens: 100, image_config: {}, stop_sequences: null },
    safety_settings: null,
  }
  expect(sim.respond(postGemini(at("gemini-2.5-pro"), taken), 0).status).toBe(200)
  expect(sim.log[0]).toMatchObject({ body: taken, reply: { calls: [{ name: "read" }] } })
})

test("streams a list to a client that asks for no events", () => {
  const streamed = geminiSim(rich).respond(postGemini(at("thinker", "streamGenerateContent"), body()), 0)
  expect(streamed.headers["content-type"]).toBe("application/json; charset=UTF-8")
  const pieces = JSON.parse(textOf(streamed)) as readonly ResponseJson[]
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.at(-1)?.candidates[0].finishReason).toBe("STOP")
  const seals = pieces.flatMap(({ candidates }) =>
    candidates[0].content.parts.flatMap((part) => part.thoughtSignature ?? []),
  )
  expect(seals).toEqual([expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)])
})

interface PartJson {
  readonly text?: string
  readonly thought?: boolean
  readonly functionCall?: object
  readonly thoughtSignature?: string
}
interface ResponseJson {
  readonly candidates: readonly [
    { readonly content: { readonly parts: readonly PartJson[] }; readonly finishReason?: string },
  ]
  readonly usageMetadata: object
}

const rich: Reply = {
  blocks: [
    { type: "thinking", text: "First I look." },
    { type: "text", text: "Grüße, 😀 world" },
    { type: "tool_use", name: "read", input: { path: "ä.md" } },
  ],
  chunkChars: 3,
}
const stream = (reply: Reply, changes: object = {}) =>
  geminiSim(reply).respond(postGemini(`${at("thinker", "streamGenerateContent")}?alt=sse`, body(changes)), 0)

test("streams responses that parse back to the whole answer, split at every byte", () => {
  const asked = { generationConfig: { thinkingConfig: { includeThoughts: true } } }
  const responses = eventsByByte(stream({ ...rich, bytesPerWrite: 1 }, asked)) as unknown as ResponseJson[]
  const whole = JSON.parse(
    textOf(geminiSim(rich).respond(postGemini(at("thinker"), body(asked)), 0)),
  ) as ResponseJson
  const shown = (all: readonly ResponseJson[]) => {
    const parts = all.flatMap((one) => one.candidates[0].content.parts)
    const text = (thought: boolean) =>
      parts.map((part) => ((part.thought === true) === thought ? (part.text ?? "") : "")).join("")
    const calls = parts.filter((part) => part.functionCall !== undefined)
    return { thinking: text(true), text: text(false), calls }
  }
  expect(shown(responses)).toEqual(shown([whole]))
  expect(shown([whole]).calls[0]?.thoughtSignature).toBe(sealThought("thinker"))
  expect(responses.map((one) => one.candidates[0].finishReason).filter(Boolean)).toEqual(["STOP"])
  expect(responses.at(-1)?.usageMetadata).toEqual(whole.usageMetadata)
})

const faults: readonly (readonly [Fault, number, string])[] = [
  [{ kind: "rate-limited", retryAfter: 7 }, 429, "RESOURCE_EXHAUSTED"],
  [{ kind: "out-of-credit" }, 429, "RESOURCE_EXHAUSTED"],
  [{ kind: "overloaded" }, 503, "UNAVAILABLE"],
  [{ kind: "server-error" }, 500, "INTERNAL"],
  [{ kind: "unauthorized" }, 400, "INVALID_ARGUMENT"],
  [{ kind: "overflow" }, 400, "INVALID_ARGUMENT"],
  [{ kind: "refused", status: 403, type: "permission_error", message: "No." }, 403, "PERMISSION_DENIED"],
]

test("takes a list of allowed functions that is null for none", () => {
  const request = body({ tools: tools(), ...mode({ mode: "ANY", allowedFunctionNames: null }) })
  expect(geminiSim().respond(postGemini(at("plain"), request), 0).status).toBe(200)
})

test.each(faults)("answers %o with its status and body", (fault, status, type) => {
  const refused = stream({ ...rich, fault })
  const { error } = JSON.parse(textOf(refused)) as { error: { status: string; details?: object[] } }
  expect([refused.status, error.status]).toEqual([status, type])
  if (fault.kind === "rate-limited") expect(error.details).toMatchObject([{ retryDelay: "7s" }])
})

test("breaks a stream where it is told to", () => {
  const broken = (fault: Fault) => stream({ ...textReply("abcdef"), chunkChars: 2, fault })
  expect(textOf(broken({ kind: "error-event", afterDeltas: 1 }))).toMatch(
    /\r\n\r\ndata: \{"error":\{"code":503,[^\r]+\r\n\r\n$/,
  )
  expect(textOf(broken({ kind: "no-stop" }))).not.toContain("finishReason")
  expect(textOf(broken({ kind: "cut", afterDeltas: 1 }))).toMatch(/data: [^\r]+\[cut\]$/)
  expect(() => eventsByByte(broken({ kind: "malformed-json" }))).toThrow(SyntaxError)
})

test("reads a repeated beginning from the cache, and says so", () => {
  const sim = geminiSim()
  const long = body({ systemInstruction: { parts: [{ text: "rule ".repeat(1_000) }] } })
  const send = (nowMs: number) => textOf(sim.respond(postGemini(at("plain"), long), nowMs))
  expect(send(0)).not.toContain("cachedContentTokenCount")
  expect(send(1)).toContain('"cachedContentTokenCount":1152')
  expect(send(300_001)).not.toContain("cachedContentTokenCount")
})
