/** Parameters: the literal answer to illegal JSON, fields, tools, choices and cache markers. */
import { body, readTool } from "../requests.ts"
import { user, assistant, text, thought, marked, markedLong, chat, thinking } from "./conversations.ts"
import type { RefusedRow } from "./conversations.ts"

const formatted = (schema: object) => body({ output_config: { format: { type: "json_schema", schema } } })
const search = { type: "web_search_20250305", name: "web_search" }

export const paramRules: readonly RefusedRow[] = [
  ["broken JSON", "{", "The request body is not valid JSON: unexpected character"],
  ["a list as body", [], "Input should be a valid dictionary or object"],
  [
    "half a surrogate pair",
    String.raw`{"model":"plain","max_tokens":9,"messages":[{"role":"user","content":"a\ud83d"}]}`,
    "The request body is not valid JSON: no low surrogate in string: line 1 column 72 (char 71)",
  ],
  [
    "a low surrogate alone",
    String.raw`{"model":"\udc00"}`,
    "The request body is not valid JSON: invalid high surrogate in string: line 1 column 11 (char 10)",
  ],
  [
    "two high surrogates",
    String.raw`{"model":"\ud83d\ud83d"}`,
    "The request body is not valid JSON: invalid low surrogate in string: line 1 column 11 (char 10)",
  ],
  ["no model", { max_tokens: 1, messages: [] }, "model: Field required"],
  ["no messages", { model: "plain", max_tokens: 1 }, "messages: Field required"],
  ["no max_tokens", { model: "plain", messages: [] }, "max_tokens: Field required"],
  ["an unknown field", body({ prompt: "x" }), "prompt: Extra inputs are not permitted"],
  ["a fraction of a token", body({ max_tokens: 1.5 }), "max_tokens: Input should be a valid integer"],
  ["an output limit of nothing", body({ max_tokens: null }), "max_tokens: Input should be a valid integer"],
  ["less than no output", body({ max_tokens: -1 }), "max_tokens: Input should be greater than or equal to 0"],
  [
    "an effort that does not exist",
    body({ output_config: { effort: "ultra" } }),
    "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
  ],
  [
    "a form of answer that does not exist",
    body({ output_config: { format: { type: "json_object" } } }),
    "output_config.format.type: Input should be 'json_schema'",
  ],
  [
    "an answer whose schema is open",
    formatted({ type: "object", properties: { a: { type: "object", additionalProperties: false } } }),
    "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
  ],
  [
    "an answer whose inner schema is opened",
    formatted({
      type: "object",
      additionalProperties: false,
      properties: { a: { type: "object", additionalProperties: true } },
    }),
    "output_config.format.schema: For 'object' type, 'additionalProperties: true' is not supported. Please set 'additionalProperties' to false",
  ],
  [
    "a schema with a type that does not exist",
    body({ tools: [{ name: "a", input_schema: { type: "object", properties: { b: { type: "text" } } } }] }),
    "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.",
  ],
  [
    "more output than the model has",
    body({ model: "small", max_tokens: 501 }),
    "max_tokens: 501 > 500, which is the maximum allowed number of output tokens for small",
  ],
  ["a stream that is no boolean", body({ stream: "yes" }), "stream: Input should be a valid boolean"],
  ["a hot temperature", body({ temperature: 2 }), "temperature: Input should be less than or equal to 1"],
  [
    "a stop sequence of spaces",
    body({ stop_sequences: [" "] }),
    "stop_sequences: each stop sequence must contain non-whitespace",
  ],
  [
    "a tool that the provider does not have",
    body({ tools: [{ type: "web_find_1", name: "web_find" }] }),
    "tools.0: Input tag 'web_find_1' found using 'type' does not match any of the expected tags: 'advisor', 'bash', 'browser_toolset', 'code_execution', 'computer', 'computer_toolset', 'custom', 'mcp_toolset', 'memory', 'text_editor', 'tool_search_tool_bm25', 'tool_search_tool_regex', 'web_fetch', 'web_search'",
  ],
  [
    "a tool of the provider under another name",
    body({ tools: [{ type: "web_search_20250305", name: "search" }] }),
    "tools.0.web_search_20250305.name: Input should be 'web_search'",
  ],
  [
    "a tool of the provider without a name",
    body({ tools: [{ type: "web_search_20250305" }] }),
    "tools.0.web_search_20250305.name: Field required",
  ],
  [
    "a tool of the provider that is never used",
    body({ tools: [{ ...search, max_uses: 0 }] }),
    "tools.0.web_search_20250305.max_uses: Input should be greater than or equal to 1",
  ],
  [
    "a setting of another tool",
    body({ tools: [{ ...search, input_schema: {} }] }),
    "tools.0.web_search_20250305.input_schema: Extra inputs are not permitted",
  ],
  [
    "a function named like a tool of the provider",
    body({ tools: [{ ...readTool, name: "web_search" }, search] }),
    "tools: Tool names must be unique.",
  ],
  ["two tools of one name", body({ tools: [readTool, readTool] }), "tools: Tool names must be unique."],
  [
    "a tool name with a space",
    body({ tools: [{ ...readTool, name: "a b" }] }),
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  [
    "a tool without a schema",
    body({ tools: [{ name: "a" }] }),
    "tools.0.custom.input_schema: Field required",
  ],
  [
    "a schema without a type",
    body({ tools: [{ name: "a", input_schema: {} }] }),
    "tools.0.custom.input_schema.type: Field required",
  ],
  [
    "a schema that is no object",
    body({ tools: [{ name: "a", input_schema: { type: "string" } }] }),
    "tools.0.custom.input_schema.type: Input should be 'object'",
  ],
  [
    "a union as schema",
    body({ tools: [{ name: "a", input_schema: { type: "object", anyOf: [] } }] }),
    "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
  ],
  [
    "a choice without tools",
    body({ tool_choice: { type: "auto" } }),
    "tool_choice may only be specified while providing tools.",
  ],
  [
    "a choice of an unknown tool",
    body({ tools: [readTool], tool_choice: { type: "tool", name: "bash" } }),
    "Tool 'bash' not found in provided tools",
  ],
  [
    "an unknown choice",
    body({ tools: [readTool], tool_choice: { type: "some" } }),
    "tool_choice: Input tag 'some' found using 'type' does not match any of the expected tags: 'any', 'auto', 'none', 'tool'",
  ],
  [
    "a choice without a type",
    body({ tools: [readTool], tool_choice: {} }),
    "tool_choice: Unable to extract tag using discriminator 'type'",
  ],
  [
    "five markers",
    body({ system: [1, 2, 3, 4, 5].map((n) => text(`s${n}`, marked)) }),
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  ],
  [
    "a long marker after a short one",
    body({ system: [text("s", marked)], messages: [user([text("a", markedLong)])] }),
    "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
  ],
  [
    "an unknown life",
    chat(user([text("a", { cache_control: { type: "ephemeral", ttl: "2h" } })])),
    "messages.0.content.0.text.cache_control.ttl: Input should be '5m' or '1h'",
  ],
  [
    "an unknown marker",
    chat(user([text("a", { cache_control: { type: "persistent" } })])),
    "messages.0.content.0.text.cache_control.type: Input should be 'ephemeral'",
  ],
  [
    "a marker on an empty text",
    chat(user([text("", marked)])),
    "messages.0.content.0.text: cache_control cannot be set for empty text blocks",
  ],
  [
    "a marker on thinking",
    thinking(user("a"), assistant([{ ...thought("thinker", "hm"), ...marked }, text("b")]), user("c")),
    "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
  ],
]
