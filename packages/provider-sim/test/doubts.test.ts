/** Doubts: what only an assumed rule refuses is taken, and the log says which rule that is. */
import { expect, test } from "vitest"
import { createProviderSim, scripted, textReply } from "../src/index.ts"
import type { ProviderSim, SimRequest } from "../src/index.ts"
import { postGemini } from "./clients.ts"
import { base64, png } from "./pictures.ts"
import { chat as chatBody, openaiSim, postTo } from "./openai/requests.ts"
import { body as messagesBody, headers, post, strictSim, textOf } from "./requests.ts"
import { assistant, chat, found, searched, user } from "./validate/conversations.ts"

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: base64(png(8, 8)) } }

test.each([
  [
    "an image of the assistant",
    chat(user("a"), assistant([image]), user("b")),
    ["messages.1: `image` blocks are not permitted in `assistant` messages"],
  ],
  [
    "a search of the user",
    chat(user([searched, found])),
    [
      "messages.0: `server_tool_use` blocks are not permitted in `user` messages",
      "messages.0: `web_search_tool_result` blocks are not permitted in `user` messages",
    ],
  ],
  ["what was recorded", chat(assistant("a"), assistant("b"), user("c")), undefined],
])("the Messages API takes %s", (_, body, doubts) => {
  const sim = strictSim()
  expect(sim.respond(post(body), 0).status).toBe(200)
  expect(sim.log[0]?.doubts).toEqual(doubts)
})

const taken = (sim: ProviderSim, request: SimRequest) => {
  const response = sim.respond(request, 0)
  expect(response.status === 200 ? "" : textOf(response)).toBe("")
  return sim.log.at(-1)?.doubts
}

test("what newer models may refuse is taken, and the log says what that is", () => {
  const model = scripted(() => textReply("Hi."), { thinking: true })
  const names = ["claude-sonnet-4-5", "gpt-5.4", "gemini-2.5-pro", "gpt-5"]
  const sim = createProviderSim({ models: Object.fromEntries(names.map((name) => [name, model])) })
  const claude = (changes: object) => post(messagesBody({ model: "claude-sonnet-4-5", ...changes }))
  expect(taken(sim, claude({ temperature: 0.5, top_p: 0.9 }))).toEqual([
    "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
  ])
  expect(taken(sim, claude({ thinking: { type: "adaptive" } }))).toHaveLength(1)
  expect(taken(sim, claude({ tools: [{ type: "web_search_20990101", name: "web_search" }] }))).toHaveLength(1)
  const beta = { ...headers, "anthropic-beta": "telepathy-2099-01-01" }
  expect(taken(sim, { ...claude({}), headers: beta })).toEqual([
    'anthropic-beta: nobody here knows "telepathy-2099-01-01"',
  ])
  const gpt = (changes: object) => postTo("/v1/chat/completions", chatBody({ model: "gpt-5.4", ...changes }))
  expect(taken(sim, gpt({ temperature: 0.5 }))).toHaveLength(1)
  expect(taken(sim, gpt({ stop: "x", presence_penalty: 1 }))).toEqual([
    "Unsupported parameter: 'stop' is not supported with this model.",
    "Unsupported parameter: 'presence_penalty' is not supported with this model.",
  ])
  const level = { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } }
  const contents = [{ role: "user", parts: [{ text: "a" }] }]
  expect(
    taken(sim, postGemini("/v1beta/models/gemini-2.5-pro:generateContent", { contents, ...level })),
  ).toHaveLength(1)
  const old = postTo("/v1/chat/completions", chatBody({ model: "gpt-5", temperature: 0.5 }))
  expect(sim.respond(old, 0).status).toBe(400)
})

test("an answer cannot be begun for Opus 4.6", () => {
  const model = scripted(() => textReply("Hi."))
  const sim = createProviderSim({ models: { "claude-opus-4-6": model, "claude-opus-4-5": model } })
  const begun = (name: string) => post(messagesBody({ model: name, messages: [user("a"), assistant("b")] }))
  expect(sim.respond(begun("claude-opus-4-6"), 0).status).toBe(400)
  expect(sim.respond(begun("claude-opus-4-5"), 0).status).toBe(200)
})

test("Chat Completions takes the role of old and what belongs to it", () => {
  const sim = openaiSim()
  const messages = [
    { role: "user", content: "a" },
    { role: "assistant", content: null, function_call: { name: "read", arguments: "{}" } },
    { role: "function", name: "read", content: "b" },
  ]
  expect(sim.respond(postTo("/v1/chat/completions", chatBody({ messages })), 0).status).toBe(200)
  expect(sim.log[0]?.doubts).toEqual(["The role 'function' of messages[2] is no longer supported."])
})
