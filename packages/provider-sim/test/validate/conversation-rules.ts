/** Messages: the literal answer to each illegal role, block, pairing and ending. */
import { body, readTool } from "../requests.ts"
import { user, assistant, system, text, call, result, chat, tooled, thinking } from "./conversations.ts"
import { found, searched, thought } from "./conversations.ts"
import type { RefusedRow } from "./conversations.ts"

export const conversationRules: readonly RefusedRow[] = [
  ["no message", chat(), "messages: at least one message is required"],
  [
    "an unknown role",
    chat({ role: "tool", content: "x" }),
    "messages.0.role: Input should be 'user' or 'assistant'",
  ],
  [
    "a field in a message",
    chat({ ...user("x"), name: "me" }),
    "messages.0.name: Extra inputs are not permitted",
  ],
  [
    "an empty message",
    chat(user("")),
    "messages.0: all messages must have non-empty content except for the optional final assistant message",
  ],
  [
    "an empty assistant message in the middle",
    chat(user("a"), assistant([]), user("b")),
    "messages.1: all messages must have non-empty content except for the optional final assistant message",
  ],
  ["an empty text", chat(user([text("")])), "messages: text content blocks must be non-empty"],
  [
    "a text of spaces",
    chat(user([text(" \n")])),
    "messages: text content blocks must contain non-whitespace text",
  ],
  ["a string of spaces", chat(user("  ")), "messages: text content blocks must contain non-whitespace text"],
  ["an empty system text", body({ system: [text("")] }), "system: text content blocks must be non-empty"],
  ["an image as system", body({ system: [{ type: "image" }] }), "system.0.type: Input should be 'text'"],
  [
    "an unknown block",
    chat(user([{ type: "video" }])),
    "messages.0.content.0: Input tag 'video' found using 'type' does not match any of the expected tags: 'bash_code_execution_tool_result', 'code_execution_tool_result', 'container_upload', 'document', 'image', 'mcp_tool_result', 'mcp_tool_use', 'redacted_thinking', 'search_result', 'server_tool_use', 'text', 'text_editor_code_execution_tool_result', 'thinking', 'tool_result', 'tool_search_tool_result', 'tool_use', 'web_fetch_tool_result', 'web_search_tool_result'",
  ],
  [
    "a thought of the user",
    chat(user([thought("plain", "hm"), text("a")])),
    "messages.0.content: thinking blocks may only be in `assistant` messages",
  ],
  [
    "an image without a source",
    chat(user([{ type: "image" }])),
    "messages.0.content.0.image.source: Field required",
  ],
  [
    "an image whose source is a text",
    chat(user([{ type: "image", source: "x" }])),
    "messages.0.content.0.image.source: Input should be a valid dictionary",
  ],
  [
    "a search that found nothing, not even nothing",
    chat(user("a"), assistant([searched, text("b")]), user("c")),
    "messages.1.content.0: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
  ],
  [
    "findings without a search",
    chat(user("a"), assistant([found, text("b")]), user("c")),
    "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1. Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it.",
  ],
  [
    "a search under the id of a call",
    chat(user("a"), assistant([{ ...searched, id: "toolu_1" }]), user("c")),
    "messages.1.content.0.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
  ],
  [
    "a field in a block",
    chat(user([text("a", { id: 1 })])),
    "messages.0.content.0.text.id: Extra inputs are not permitted",
  ],
  [
    "an unknown image type",
    chat(user([{ type: "image", source: { type: "base64", media_type: "image/tiff", data: "AA==" } }])),
    "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  ],
  [
    "a system role at a model without it",
    chat(user("a"), system("b")),
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
  ],
  [
    "a system message first",
    body({ model: "system", messages: [system("a"), user("b")] }),
    "messages.0: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result",
  ],
  [
    "a system message after the assistant",
    body({ model: "system", messages: [user("a"), assistant("b"), system("c"), user("d")] }),
    "messages.2: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result",
  ],
  [
    "a system message before the user",
    body({ model: "system", messages: [user("a"), system("b"), user("c")] }),
    "messages.1: role 'system' must precede an 'assistant' message or end the array",
  ],
  [
    "two system messages in a row",
    body({ model: "system", messages: [user("a"), system("b"), system("c")] }),
    "messages.1: role 'system' must precede an 'assistant' message or end the array",
  ],
  [
    "an image in a system message",
    body({ model: "system", messages: [user("a"), system([{ type: "image", source: {} }])] }),
    "messages.1: `image` blocks are not permitted in `system` messages",
  ],
  [
    "a system message between call and result",
    body({
      model: "system",
      tools: [readTool],
      messages: [user("a"), assistant([call("t1")]), system("b"), user([result("t1")])],
    }),
    "messages.2: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result",
  ],
  [
    "a call by the user",
    tooled(user([call("t1")])),
    "messages.0: `tool_use` blocks can only be in `assistant` messages",
  ],
  [
    "a result by the assistant",
    tooled(user("a"), assistant([result("t1")])),
    "messages.1: `tool_result` blocks can only be in `user` messages",
  ],
  [
    "an odd call id",
    tooled(user("a"), assistant([call("t 1")]), user([result("t 1")])),
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  [
    "an odd tool name in history",
    tooled(user("a"), assistant([call("t1", { name: "a.b" })]), user([result("t1")])),
    "messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  [
    "an input as a string",
    tooled(user("a"), assistant([call("t1", { input: "{}" })]), user([result("t1")])),
    "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
  ],
  [
    "a call without its result",
    tooled(user("a"), assistant([call("t1"), call("t2")]), user([result("t1")])),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  ],
  [
    "a text before the result",
    tooled(user("a"), assistant([call("t1")]), user([text("wait"), result("t1")])),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  ],
  [
    "a user message before the message with the result",
    tooled(user("a"), assistant([call("t1")]), user("wait"), user([result("t1")])),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  ],
  [
    "a call at the end",
    tooled(user("a"), assistant([call("t1")])),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  ],
  [
    "a result without its call",
    tooled(user("a"), assistant("b"), user([result("t9")])),
    "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t9. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
  ],
  [
    "two results of one call",
    tooled(user("a"), assistant([call("t1")]), user([result("t1"), result("t1")])),
    "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: t1",
  ],
  [
    "one id for two calls",
    tooled(
      user("a"),
      assistant([call("t1")]),
      user([result("t1")]),
      assistant([call("t1")]),
      user([result("t1")]),
    ),
    "messages.3.content.0: `tool_use` ids must be unique",
  ],
  [
    "an image in a failed result",
    tooled(
      user("a"),
      assistant([call("t1")]),
      user([
        result("t1", {
          is_error: true,
          content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } }],
        }),
      ]),
    ),
    "messages.2.content.0.tool_result: all content must be type `text` if `is_error` is true",
  ],
  [
    "calls in history without tools",
    chat(user("a"), assistant([call("t1")]), user([result("t1")])),
    "Requests which include `tool_use` or `tool_result` blocks must define tools.",
  ],
  [
    "a final text with a space at its end",
    chat(user("a"), assistant("b ")),
    "messages: final assistant content cannot end with trailing whitespace",
  ],
  [
    "a final assistant message at a model without prefill",
    body({ model: "modern", messages: [user("a"), assistant("b")] }),
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  ],
  [
    "a final assistant message while thinking",
    thinking(user("a"), assistant("b")),
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  ],
]
