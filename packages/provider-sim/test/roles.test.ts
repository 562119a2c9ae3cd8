/** Roles: what only an assumed rule refuses is taken, and the log says which rule that is. */
import { expect, test } from "vitest"
import { base64, png } from "./pictures.ts"
import { chat as chatBody, openaiSim, postTo } from "./openai/requests.ts"
import { post, strictSim } from "./requests.ts"
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
