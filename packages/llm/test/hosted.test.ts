/** Tools that Anthropic runs itself: their calls and results are carried as they came. */
import { expect, test } from "vitest"
import type { Json } from "@holdfast/schema/json"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import type { EntryPart } from "../src/segments.ts"
import { decode } from "./answers.ts"
import { answer, messagesOf, segmentsOf, targetOf, text, user } from "./requests.ts"
import * as stream from "./fixtures/streams.ts"

const target = targetOf()
const asked: Json = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "web_search",
  input: { query: "weather" },
}
const found: Json = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [{ type: "web_search_result", url: "https://x.example", encrypted_content: "c2Vh" }],
}
const hosted = (opaque: Json, model = target.model): EntryPart => ({
  type: "hosted",
  name: "web_search",
  native: { provider: target.provider, model, endpoint: target.endpoint, opaque },
})
const sent = (...parts: readonly EntryPart[]) => {
  const encoded = anthropicMessages.encode(segmentsOf([user("a"), answer(...parts), user("c")]), target)
  expect(anthropicMessages.lint(encoded, target)).toEqual([])
  return messagesOf(encoded, target).flatMap((message) =>
    message.role === "assistant" ? message.content : [],
  )
}

test("[LL8] decodes them whole, with an input that streamed", () => {
  const events = decode(anthropicMessages, [
    stream.messageStart,
    stream.blockStart(0, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
    stream.blockDelta(0, { type: "input_json_delta", partial_json: '{"query":' }),
    stream.blockDelta(0, { type: "input_json_delta", partial_json: '"weather"}' }),
    stream.blockStop(0),
    stream.blockStart(1, found as object),
    stream.blockStop(1),
  ])
  expect(events.slice(1, -1)).toEqual([
    { type: "hosted", index: 0, name: "web_search", opaque: asked },
    { type: "hosted", index: 1, name: "web_search_tool_result", opaque: found },
  ])
})

test("[LL8] repeats them exactly to the target that ran them, and to no other", () => {
  expect(sent(hosted(asked), hosted(found), text("b"))).toEqual([asked, found, { type: "text", text: "b" }])
  expect(sent(hosted(asked, "other"), hosted(found, "other"), text("b"))).toEqual([
    { type: "text", text: "b" },
  ])
})

test("[LL9] leaves a call out together with the result it never got", () => {
  expect(sent(hosted(asked), text("b"))).toEqual([{ type: "text", text: "b" }])
  expect(sent(hosted(found), text("b"))).toEqual([{ type: "text", text: "b" }])
})
