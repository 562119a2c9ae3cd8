/** Obedience: what a request demands of its answer holds on every wire, whatever the model would say. */
import { expect, test } from "vitest"
import { createProviderSim, offlineAgent, scripted, textReply } from "../src/index.ts"
import type { SimModel, SimRequest } from "../src/index.ts"
import { postGemini } from "./clients.ts"
import { postTo } from "./openai/requests.ts"
import { body as messages, post, textOf } from "./requests.ts"

const schema = {
  type: "object",
  properties: { city: { type: "string", enum: ["Oslo"] }, days: { type: "integer", minimum: 2 } },
  required: ["city", "days"],
}
const sampled = { city: "Oslo", days: 2 }
const user = { role: "user", content: "Hello" }
const contents = [{ role: "user", parts: [{ text: "Hello" }] }]
const converse = [{ role: "user", content: [{ text: "Hello" }] }]
const chatTool = { type: "function", function: { name: "plan", parameters: schema } }

/** A request that demands a call of any tool, and one that stops at a text. */
const wires: readonly (readonly [string, SimRequest, SimRequest | undefined])[] = [
  [
    "anthropic-messages",
    post(
      messages({
        model: "m",
        tools: [{ name: "plan", input_schema: schema }],
        tool_choice: { type: "any" },
      }),
    ),
    post(messages({ model: "m", stop_sequences: ["never", "STOP"] })),
  ],
  [
    "openai-responses",
    postTo("/v1/responses", {
      model: "m",
      input: "Hello",
      tools: [{ type: "function", name: "plan", parameters: schema }],
      tool_choice: { type: "function", name: "plan" },
    }),
    undefined,
  ],
  [
    "openai-chat",
    postTo("/v1/chat/completions", {
      model: "m",
      messages: [user],
      tools: [chatTool],
      tool_choice: "required",
    }),
    postTo("/v1/chat/completions", { model: "m", messages: [user], stop: "STOP" }),
  ],
  [
    "gemini",
    postGemini("/v1beta/models/m:generateContent", {
      contents,
      tools: [{ functionDeclarations: [{ name: "plan", parametersJsonSchema: schema }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY" } },
    }),
    postGemini("/v1beta/models/m:generateContent", {
      contents,
      generationConfig: { stopSequences: ["STOP"] },
    }),
  ],
  [
    "bedrock-converse",
    postTo("/model/m/converse", {
      messages: converse,
      toolConfig: {
        tools: [{ toolSpec: { name: "plan", inputSchema: { json: schema } } }],
        toolChoice: { any: {} },
      },
    }),
    postTo("/model/m/converse", { messages: converse, inferenceConfig: { stopSequences: ["STOP"] } }),
  ],
]

const answerOf = (model: SimModel, request: SimRequest) => {
  const sim = createProviderSim({ models: { m: model } })
  const said = textOf(sim.respond(request, 0))
  expect(sim.log[0]?.error).toBeUndefined()
  return { said, reply: sim.log[0]?.reply }
}

test.each(wires)("%s: a call that is demanded comes, with an input that its schema allows", (_, request) => {
  const { said, reply } = answerOf(
    scripted(() => textReply("I would rather talk.")),
    request,
  )
  expect(reply).toMatchObject({ text: "", calls: [{ name: "plan" }] })
  const inner = JSON.stringify(sampled)
  expect(said.includes(inner) || said.includes(JSON.stringify(inner))).toBe(true)
})

test.each(wires)("%s: a refusal comes before a call that is demanded", (_, request) => {
  const model = scripted(() => ({ ...textReply("No."), stopReason: "refusal" }))
  expect(answerOf(model, request).reply).toMatchObject({ text: "No.", calls: [] })
})

test.each(wires.filter(([, , stopping]) => stopping !== undefined))(
  "%s: an answer ends before the text that stops it",
  (wire, _, stopping) => {
    const model = scripted(() => textReply("One, two, STOP and on."))
    const { said, reply } = answerOf(model, stopping as SimRequest)
    expect(reply?.text).toBe("One, two, ")
    if (wire === "anthropic-messages") expect(said).toContain('"stop_sequence":"STOP"')
  },
)

test("Anthropic gives thinking that is omitted without its words, and takes it back", () => {
  const model = scripted(
    () => ({
      blocks: [
        { type: "thinking", text: "Secret." },
        { type: "text", text: "Hi." },
      ],
    }),
    { thinking: true },
  )
  const sim = createProviderSim({ models: { m: model } })
  const thinking = { type: "adaptive", display: "omitted" }
  const asked = messages({ model: "m", thinking })
  const { content } = JSON.parse(textOf(sim.respond(post(asked), 0))) as { content: readonly object[] }
  expect(content[0]).toEqual({ type: "thinking", thinking: "", signature: expect.any(String) as string })
  const later = [user, { role: "assistant", content }, user]
  expect(sim.respond(post(messages({ model: "m", thinking, messages: later })), 0).status).toBe(200)
})

test("Chat gives as many choices as it is asked for, and calls in the form of old", () => {
  const model = scripted(() => textReply("Hi."))
  const twice = answerOf(model, postTo("/v1/chat/completions", { model: "m", messages: [user], n: 2 }))
  expect(JSON.parse(twice.said)).toMatchObject({ choices: [{ index: 0 }, { index: 1 }] })
  const old = {
    model: "m",
    messages: [user],
    functions: [{ name: "plan", parameters: schema }],
    function_call: { name: "plan" },
  }
  const { said } = answerOf(model, postTo("/v1/chat/completions", old))
  expect(JSON.parse(said)).toMatchObject({
    choices: [
      {
        message: { function_call: { name: "plan", arguments: JSON.stringify(sampled) } },
        finish_reason: "function_call",
      },
    ],
  })
})

test("the offline agent answers in JSON where JSON is asked for", () => {
  const form = { type: "json_schema", json_schema: { name: "a", schema } }
  const chat = postTo("/v1/chat/completions", { model: "m", messages: [user], response_format: form })
  expect(JSON.parse(answerOf(offlineAgent(), chat).reply?.text ?? "")).toEqual(sampled)
  const config = {
    responseMimeType: "application/json",
    responseSchema: { type: "OBJECT", required: [] },
  }
  const gemini = postGemini("/v1beta/models/m:generateContent", { contents, generationConfig: config })
  expect(JSON.parse(answerOf(offlineAgent(), gemini).reply?.text ?? "")).toEqual({})
})
