/** What stays legal, and what is turned away before the body counts. */
import { expect, test } from "vitest"
import { sealRedacted } from "../../src/signature.ts"
import { body, errorOf, headers, post, readTool, strictSim, textOf } from "../requests.ts"
import {
  user,
  assistant,
  system,
  text,
  call,
  result,
  thought,
  marked,
  markedLong,
  chat,
  tooled,
  thinking,
  searched,
  found,
} from "./conversations.ts"

const accepted: readonly (readonly [title: string, body: unknown])[] = [
  ["one string", body()],
  ["merged user messages", chat(user("a"), user("b"), assistant("c"), assistant("d"), user("e"))],
  ["the assistant first", chat(assistant("a"), assistant("b"), user("c"))],
  ["an empty final assistant message", chat(user("a"), assistant([]))],
  ["a prefill", chat(user("a"), assistant("b"))],
  [
    "a whole surrogate pair",
    String.raw`{"model":"plain","max_tokens":9,"messages":[{"role":"user","content":"\ud83d\ude00 \\ud83d"}]}`,
  ],
  [
    "results and then a text, over two messages",
    tooled(
      user("a"),
      assistant([text("b"), call("t1"), call("t2")]),
      user([result("t2"), result("t1")]),
      user("c"),
    ),
  ],
  ["an empty result", tooled(user("a"), assistant([call("t1")]), user([result("t1", { content: [] })]))],
  [
    "a result without content",
    tooled(user("a"), assistant([call("t1")]), user([{ type: "tool_result", tool_use_id: "t1" }])),
  ],
  [
    "a call with its caller",
    tooled(user("a"), assistant([call("t1", { caller: { type: "direct" } })]), user([result("t1")])),
  ],
  [
    "system messages after results and at the end",
    body({
      model: "system",
      tools: [readTool],
      messages: [
        user("a"),
        assistant([call("t1")]),
        user([result("t1")]),
        system("b"),
        assistant("c"),
        user("d"),
        system("e"),
      ],
    }),
  ],
  [
    "four markers, long ones first",
    body({
      tools: [{ ...readTool, ...markedLong }],
      system: [text("s", markedLong)],
      messages: [user([text("a", marked), text("b", marked)])],
    }),
  ],
  [
    "signed thoughts",
    thinking(user("a"), assistant([thought("thinker", "hm"), call("t1")]), user([result("t1")])),
  ],
  [
    "a tool loop whose first message has the thought",
    thinking(
      user("a"),
      assistant([thought("thinker", "hm"), call("t1")]),
      user([result("t1")]),
      assistant([call("t2")]),
      user([result("t2")]),
    ),
  ],
  [
    "a finished turn without thoughts",
    thinking(user("a"), assistant([call("t1")]), user([result("t1")]), assistant("b"), user("c")),
  ],
  [
    "tools of the provider, marked, and what one of them did",
    body({
      tools: [readTool, { type: "web_search_20250305", name: "web_search", max_uses: 1, ...marked }],
      messages: [user("a"), assistant([searched, found, text("b")]), user("c")],
    }),
  ],
  [
    "documents, search results and an image by its id",
    chat(
      user([
        { type: "document", source: { type: "text", media_type: "text/plain", data: "x" }, title: null },
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
        { type: "search_result", source: "https://example.com", title: "a", content: [text("b")] },
        { type: "image", source: { type: "file", file_id: "file_1" } },
        text("c"),
      ]),
    ),
  ],
  [
    "a document and a found tool as a result",
    tooled(
      user("a"),
      assistant([call("t1")]),
      user([
        result("t1", {
          content: [
            { type: "document", source: { type: "file", file_id: "file_1" } },
            { type: "tool_reference", tool_name: "read" },
          ],
        }),
      ]),
    ),
  ],
  [
    "what code of the provider did",
    chat(
      user("a"),
      assistant([
        { ...searched, name: "bash_code_execution" },
        { type: "bash_code_execution_tool_result", tool_use_id: "srvtoolu_1", content: {} },
        text("b"),
      ]),
      user("c"),
    ),
  ],
  [
    "tools that have a type of their own",
    body({
      tools: [
        { ...readTool, defer_loading: true, allowed_callers: ["direct"] },
        { type: "bash_20250124", name: "bash" },
        { type: "text_editor_20250728", name: "str_replace_based_edit_tool", max_characters: 100 },
        { type: "memory_20250818", name: "memory" },
        { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
        { type: "web_search_20260318", name: "web_search", max_uses: 1 },
        { type: "computer_toolset_20260801" },
      ],
    }),
  ],
  ["no output at all", body({ max_tokens: 0 })],
  [
    "the parameters of 2026",
    body({
      model: "thinker",
      thinking: { type: "between_tools" },
      inference_geo: "us",
      container: null,
      speed: "fast",
      diagnostics: null,
      output_config: { effort: "xhigh" },
    }),
  ],
  [
    "a redacted thought",
    thinking(
      user("a"),
      assistant([{ type: "redacted_thinking", data: sealRedacted("thinker", "1") }, text("b")]),
      user("c"),
    ),
  ],
  [
    "adaptive thinking with a bare call",
    { ...thinking(user("a"), assistant([call("t1")]), user([result("t1")])), thinking: { type: "adaptive" } },
  ],
]

test.each(accepted)("accepts %s", (_, value) => {
  const response = strictSim().respond(post(value), 0)
  expect(textOf(response)).not.toContain('"error"')
  expect(response.status).toBe(200)
})

const atTheDoor: readonly (readonly [string, object, number, string, string])[] = [
  ["another path", { path: "/v1/complete" }, 404, "not_found_error", "Not Found"],
  ["another method", { method: "GET" }, 404, "not_found_error", "Not Found"],
  [
    "no key",
    { headers: { ...headers, "x-api-key": "" } },
    401,
    "authentication_error",
    "x-api-key header is required",
  ],
  [
    "no version",
    { headers: { "x-api-key": "key", "content-type": "application/json" } },
    400,
    "invalid_request_error",
    "anthropic-version: header is required",
  ],
  [
    "another version",
    { headers: { ...headers, "anthropic-version": "latest" } },
    400,
    "invalid_request_error",
    'anthropic-version: "latest" is not a valid version',
  ],
  [
    "a beta that is none",
    { headers: { ...headers, "anthropic-beta": "interleaved-thinking-2025-05-14, tools" } },
    400,
    "invalid_request_error",
    "Unexpected value(s) `tools` for the `anthropic-beta` header. Please consult our documentation at docs.anthropic.com or try again without the header.",
  ],
  [
    "another content type",
    { headers: { ...headers, "content-type": "text/plain" } },
    400,
    "invalid_request_error",
    "content-type: must be application/json",
  ],
  [
    "a body over 32 MB",
    { body: new Uint8Array(32 * 1024 * 1024 + 1) },
    413,
    "request_too_large",
    "Request exceeds the maximum size",
  ],
]

test.each(atTheDoor)("turns away %s", (_, changes, status, type, message) => {
  const response = strictSim().respond(post(body(), changes), 0)
  expect(response.status).toBe(status)
  expect(errorOf(response).error).toEqual({ type, message })
})

test("takes any dated version, and a parameter of a beta from those who name it", () => {
  const dated = { ...headers, "anthropic-version": "2026-10-21" }
  expect(strictSim().respond(post(body(), { headers: dated }), 0).status).toBe(200)
  const managed = body({ context_management: { edits: [] }, mcp_servers: [] })
  const betas = { "anthropic-beta": "context-management-2025-06-27,mcp-client-2025-11-20" }
  expect(strictSim().respond(post(managed, { headers: { ...headers, ...betas } }), 0).status).toBe(200)
  expect(errorOf(strictSim().respond(post(managed), 0)).error.message).toBe(
    "context_management: Extra inputs are not permitted",
  )
})

test("names an unknown model in a 404", () => {
  const response = strictSim().respond(post(body({ model: "toString" })), 0)
  expect(response.status).toBe(404)
  expect(errorOf(response).error).toEqual({ type: "not_found_error", message: "model: toString" })
})

test("takes header names of any case and a query", () => {
  const changes = {
    path: "/v1/messages?beta=true",
    headers: {
      "X-Api-Key": "k",
      "Anthropic-Version": "2023-06-01",
      "Content-Type": "application/json; charset=utf-8",
    },
  }
  expect(strictSim().respond(post(body(), changes), 0).status).toBe(200)
})

test("tells a prompt that is too long from an output that is", () => {
  const long = (chars: number) => body({ model: "small", messages: [user("x".repeat(chars))] })
  const sim = strictSim()
  expect(errorOf(sim.respond(post(long(9_000)), 0)).error.message).toMatch(
    /^prompt is too long: 22\d\d tokens > 2000 maximum$/,
  )
  expect(errorOf(sim.respond(post(long(7_700)), 0)).error.message).toMatch(
    /^input length and `max_tokens` exceed context limit: 19\d\d \+ 100 > 2000, decrease input length or `max_tokens` and try again$/,
  )
  expect(sim.respond(post(long(7_000)), 0).status).toBe(200)
})
