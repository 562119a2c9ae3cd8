/** Requests of other clients, read back and encoded again: they mean the same. */
import { describe, expect, test } from "vitest"
import { photo } from "../any-wire/images.ts"
import {
  base,
  replay,
  input_schema,
  read,
  said,
  user,
  model,
  use,
  result,
  image,
  marked,
  thought,
  sealed,
  ask,
  loop,
  only,
  asked,
  citation,
  search,
} from "./bodies.ts"

describe("[LL1] a request of another client means the same when it is encoded again", () => {
  test.each<readonly [what: string, body: object]>([
    ["texts in shorthand", asked({ system: "Be brief.", messages: [{ role: "user", content: "Hi" }] })],
    ["an empty prompt", asked({ system: "" })],
    ["no prompts", asked({ system: [] })],
    ["three prompts", asked({ system: [said("a"), said("b"), marked(said("c"))] })],
    ["five prompts", asked({ system: ["a", "b", "c", "d", "e"].map(said) })],
    ["two messages of the user in a row", asked({ messages: [ask, user(said("And?"))] })],
    ["two answers in a row", asked({ messages: [ask, model(said("a")), model(said("b")), ask] })],
    [
      "thinking in the second of two answers",
      asked({ messages: [ask, model(thought, said("a")), model(sealed, said("b")), ask] }),
    ],
    ["an empty answer to go on from", asked({ messages: [ask, { role: "assistant", content: "" }] })],
    ["a result as a text", only(result("a", "done"))],
    ["a result as a list of one text", only(result("a", [said("done")]))],
    ["a result of several texts", only(result("a", [said("one"), marked(said("two"))]))],
    ["a result that did not fail", only(result("a", "done", { is_error: false }))],
    ["a result that failed", only(result("a", [said("no")], { is_error: true }))],
    ["a result without content", only(result("a"))],
    ["a result of an empty text", only(result("a", ""))],
    ["a result of an empty list", only(result("a", []))],
    ["a result of an image", only(result("a", [image()]))],
    ["an image behind the text of a result", only(result("a", [said("seen"), image(), image(photo)]))],
    ["an image before the text of a result", only(result("a", [image(), said("seen")]))],
    ["an image between texts of a result", only(result("a", [said("one"), image(), said("two")]))],
    ["results in their order", loop(result("a", "1"), result("b", "2"))],
    ["results in another order", loop(result("b", "2"), result("a", "1"), said("go on"))],
    [
      "results in two messages",
      {
        ...base,
        messages: [ask, model(use("a"), use("b")), user(result("b", "2")), user(result("a", "1"))],
      },
    ],
    ["words behind results", only(result("a", "1"), image(), said("look"))],
    ["words in a message behind results", { ...base, messages: [...only(result("a")).messages, ask] }],
    [
      "a call that the model made itself",
      { ...base, messages: [ask, model(use("a", { caller: { type: "direct" } })), user(result("a", "1"))] },
    ],
    [
      "words around a call",
      { ...base, messages: [ask, model(said("a"), use("a"), said("b")), user(result("a", "1"))] },
    ],
    [
      "a loop of calls with thinking",
      {
        ...base,
        thinking: { type: "enabled", budget_tokens: 1_024 },
        messages: [
          ask,
          model(thought, sealed, said("a"), use("a")),
          user(result("a", "1")),
          model(thought, use("b")),
          user(result("b", "2")),
        ],
      },
    ],
    [
      "a loop that began without the thinking it asks for",
      { ...only(result("a", "1")), thinking: { type: "enabled", budget_tokens: 1_024 } },
    ],
    ["images around words", asked({ messages: [user(image(), said("a"), image(photo)), ask] })],
    [
      "thinking that is told",
      asked({ thinking: { type: "enabled", budget_tokens: 1_024, display: "summarized" } }),
    ],
    ["thinking that is not told", asked({ thinking: { type: "adaptive", display: "omitted" } })],
    ["thinking turned off", asked({ thinking: { type: "disabled" } })],
    ["thinking with an effort", asked({ thinking: { type: "adaptive" }, output_config: { effort: "max" } })],
    ["an effort", asked({ output_config: { effort: "low" } })],
    [
      "an effort beside a budget",
      asked({ thinking: { type: "enabled", budget_tokens: 1_024 }, output_config: { effort: "low" } }),
    ],
    [
      "an effort without thinking",
      asked({ thinking: { type: "disabled" }, output_config: { effort: "low" } }),
    ],
    [
      "a schema of the answer",
      asked({
        output_config: { effort: "high", format: { type: "json_schema", schema: { type: "object" } } },
      }),
    ],
    [
      "the older name of a schema",
      asked({ output_format: { type: "json_schema", schema: { type: "object" } } }),
    ],
    ["a budget of the task", asked({ output_config: { task_budget: { type: "tokens", total: 20_000 } } })],
    ...["auto", "any", "none"].map(
      (type) => [`the choice ${type}`, asked({ tool_choice: { type } })] as const,
    ),
    ["the choice of a tool", asked({ tool_choice: { type: "tool", name: "read" } })],
    ["one call at a time", asked({ tool_choice: { type: "auto", disable_parallel_tool_use: true } })],
    ["one call, forced", asked({ tool_choice: { type: "any", disable_parallel_tool_use: true } })],
    [
      "calls in parallel",
      asked({ tool_choice: { type: "tool", name: "read", disable_parallel_tool_use: false } }),
    ],
    [
      "settings that are passed on",
      asked({
        temperature: 0.3,
        top_p: 0.9,
        top_k: 5,
        stop_sequences: ["END"],
        metadata: { user_id: "u" },
        service_tier: "standard_only",
        container: null,
        context_management: { edits: [] },
      }),
    ],
    [
      "settings that say nothing",
      asked({ stop_sequences: [], temperature: null, thinking: null, tool_choice: null }),
    ],
    ["no tools", asked({ tools: [] })],
    ["a tool without a description", asked({ tools: [{ name: "read", input_schema }] })],
    ["a tool of the type custom", asked({ tools: [{ ...read, type: "custom" }] })],
    [
      "a tool that says what it is not",
      asked({
        tools: [
          {
            ...read,
            strict: false,
            defer_loading: false,
            eager_input_streaming: null,
            input_examples: [],
            allowed_callers: ["direct"],
          },
        ],
      }),
    ],
    [
      "strict tools",
      asked({
        tools: [
          { ...read, strict: true },
          { name: "look", input_schema: { type: "object" } },
        ],
      }),
    ],
    [
      "tools of the provider before ours",
      asked({ tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }, marked(read)] }),
    ],
    [
      "tools of a server",
      asked({
        mcp_servers: [{ type: "url", url: "https://mcp.example", name: "files" }],
        tools: [{ type: "mcp_toolset", mcp_server_name: "files" }],
        tool_choice: { type: "tool", name: "list" },
      }),
    ],
    [
      "what the provider's tools did, with citations",
      asked({
        messages: [
          ask,
          model(search[0], marked(search[1] as object), { ...said("It rains."), citations: [citation] }),
          ask,
        ],
      }),
    ],
    [
      "citations of nothing",
      asked({
        messages: [ask, model({ ...said("a"), citations: null }, { ...said("b"), citations: [] }), ask],
      }),
    ],
    ["an answer that paused", asked({ messages: [ask, model(said("I search."), ...search)] })],
    ["a marker for the whole request", asked({ cache_control: { type: "ephemeral" } })],
    [
      "markers in all places",
      {
        ...asked({ tools: [marked(read, "1h")], system: [marked(said("a"), "1h")] }),
        messages: [ask, model(marked(use("a"))), user(marked(result("a", "1")))],
      },
    ],
    [
      "a message at its place in time",
      asked({ messages: [ask, { role: "system", content: "Now in French." }] }),
    ],
  ])("%s", (_, body) => expect(replay(body)).toEqual({ kind: "same" }))
})
