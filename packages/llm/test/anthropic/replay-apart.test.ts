/** Requests that mean other things, and what of a request cannot be said: neither passes for the same. */
import { describe, expect, test } from "vitest"
import { writtenForm } from "../../src/anthropic-messages/written.ts"
import { type Fields, parseFields } from "../../src/json-fields.ts"
import { findDifference } from "../../src/recording/difference.ts"
import { photo } from "../any-wire/images.ts"
import {
  base,
  replay,
  read,
  said,
  user,
  model,
  use,
  result,
  image,
  ask,
  loop,
  only,
  asked,
  citation,
} from "./bodies.ts"

/** Whether two bodies mean the same to the provider. */
const areSame = (a: object, b: object): boolean =>
  findDifference(meaning(a), meaning(b)) === null && findDifference(meaning(b), meaning(a)) === null
const meaning = (body: object): Fields => {
  const fields = parseFields(JSON.stringify(body)) ?? {}
  return writtenForm.meaning(fields, fields)
}

test.each<readonly [what: string, one: object, other: object]>([
  [
    "results of other calls",
    loop(result("a", "1"), result("b", "2")),
    loop(result("a", "2"), result("b", "1")),
  ],
  ["a failure", only(result("a", "1")), only(result("a", "1", { is_error: true }))],
  ["words before and behind results", only(result("a"), said("x")), only(said("x"), result("a"))],
  [
    "texts that name the images between them",
    only(result("a", [said("old"), image(), said("new"), image(photo)])),
    only(result("a", [said("old"), said("new"), image(), image(photo)])),
  ],
  [
    "the order of images",
    only(result("a", [image(), image(photo)])),
    only(result("a", [image(photo), image()])),
  ],
  [
    "the order of the user's words",
    asked({ messages: [user(said("a"), image())] }),
    asked({ messages: [user(image(), said("a"))] }),
  ],
  [
    "the order of prompts",
    asked({ system: ["a", "b", "c"].map(said) }),
    asked({ system: ["a", "c", "b"].map(said) }),
  ],
  [
    "who speaks",
    asked({ messages: [ask, model(said("a")), ask] }),
    asked({ messages: [ask, user(said("a")), ask] }),
  ],
  ["an empty message", asked({ messages: [ask, user(), ask] }), asked({ messages: [ask, ask] })],
  [
    "one call at a time",
    asked({ tool_choice: { type: "auto", disable_parallel_tool_use: true } }),
    asked({}),
  ],
  ["a forced call", asked({ tool_choice: { type: "any" } }), asked({ tool_choice: { type: "auto" } })],
  ["no call", asked({ tool_choice: { type: "none" } }), asked({})],
  ["a strict tool", asked({ tools: [{ ...read, strict: true }] }), asked({})],
  ["a deferred tool", asked({ tools: [{ ...read, defer_loading: true }] }), asked({})],
  ["another description", asked({ tools: [{ ...read, description: "Writes." }] }), asked({})],
  [
    "thinking that is told",
    asked({ thinking: { type: "adaptive", display: "omitted" } }),
    asked({ thinking: { type: "adaptive" } }),
  ],
  ["no thinking", asked({ thinking: { type: "disabled" } }), asked({})],
  ["a budget", asked({ thinking: { type: "enabled", budget_tokens: 1_024 } }), asked({})],
  ["an effort", asked({ output_config: { effort: "low" } }), asked({})],
  [
    "another schema",
    asked({ output_config: { format: { type: "json_schema", schema: { type: "object" } } } }),
    asked({ output_config: { format: { type: "json_schema", schema: { type: "array" } } } }),
  ],
  [
    "an input that is called like a marker",
    only(result("a")),
    {
      ...base,
      messages: [ask, model(use("a", { input: { path: "a", cache_control: 1 } })), user(result("a"))],
    },
  ],
  [
    "another caller",
    only(result("a")),
    {
      ...base,
      messages: [ask, model(use("a", { caller: { type: "code_execution_20250825" } })), user(result("a"))],
    },
  ],
  [
    "citations",
    asked({ messages: [ask, model(said("a")), ask] }),
    asked({ messages: [ask, model({ ...said("a"), citations: [citation] }), ask] }),
  ],
  ["a stream", asked({}), asked({ stream: false })],
  ["another limit", asked({}), asked({ max_tokens: 1 })],
])("[LL1] what means other things is told apart: %s", (_, one, other) => {
  expect(areSame(one, one)).toBe(true)
  expect(areSame(one, other)).toBe(false)
})

describe("[LL1] what a request cannot say is named", () => {
  test.each<readonly [places: readonly string[], body: object]>([
    [
      ["messages[0]: document"],
      asked({ messages: [user({ type: "document", source: { type: "text", data: "x" } }, said("a"))] }),
    ],
    [
      ["messages[0]: search_result"],
      asked({ messages: [user({ type: "search_result", content: [] }, said("a"))] }),
    ],
    [
      ["messages[0]: container_upload"],
      asked({ messages: [user({ type: "container_upload", file_id: "f" }, said("a"))] }),
    ],
    [
      ["messages[0]: image"],
      asked({ messages: [user({ type: "image", source: { type: "url", url: "https://a.example" } })] }),
    ],
    [["messages[2]: document in tool_result"], only(result("a", [{ type: "document" }, said("x")]))],
    [["messages[2]: search_result in tool_result"], only(result("a", [{ type: "search_result" }]))],
    [
      ["messages[2]: tool_reference in tool_result"],
      only(result("a", [{ type: "tool_reference", tool_name: "x" }])),
    ],
    [
      ["messages[2]: image in tool_result"],
      only(result("a", [{ type: "image", source: { type: "file", file_id: "f" } }])),
    ],
    [
      ["messages[2]: texts between images in tool_result"],
      only(result("a", [image(), said("new"), image(photo)])),
    ],
    [
      ["messages[1]: compaction"],
      asked({ messages: [ask, model({ type: "compaction", content: "x" }), ask] }),
    ],
    [
      ["messages[1]: tool_use of another caller", "result of a"],
      {
        ...base,
        messages: [
          ask,
          model(use("a", { caller: { type: "code_execution_20250825", tool_id: "t" } })),
          user(result("a", "1")),
        ],
      },
    ],
    [["result of z"], only(result("a", "1"), result("z", "2"))],
    [["messages[1]: role tool"], asked({ messages: [ask, { role: "tool", content: "x" }] })],
    [["system[1]: image"], asked({ system: [said("a"), image()] })],
    [["thinking.display"], asked({ thinking: { type: "adaptive", display: "whole" } })],
    [["thinking"], asked({ thinking: { type: "enabled" } })],
    [["max_tokens"], asked({ max_tokens: 0 })],
    [["temperature"], asked({ temperature: "hot" })],
    [["tools[0]: eager_input_streaming"], asked({ tools: [{ ...read, eager_input_streaming: true }] })],
    [["tools[0]: input_examples"], asked({ tools: [{ ...read, input_examples: [{ path: "a" }] }] })],
    [["tools[1]: defer_loading"], asked({ tools: [read, { ...read, name: "look", defer_loading: true }] })],
    [
      ["tools[0]: allowed_callers"],
      asked({ tools: [{ ...read, allowed_callers: ["code_execution_20250825"] }] }),
    ],
    [
      ["tools[1]: strict"],
      asked({
        tools: [
          { ...read, strict: true },
          { ...read, name: "look" },
        ],
      }),
    ],
    [
      ["tools[0]: strict"],
      asked({ tools: [{ name: "look", input_schema: { type: "object" }, strict: true }] }),
    ],
  ])("%j", (places, body) => expect(replay(body)).toEqual({ kind: "unread", places }))
})

test("[LL1 LL3] an answer that is to be gone on from is read, and illegal", () => {
  const body = asked({ messages: [ask, model(said("Yes, "))] })
  expect(replay(body)).toMatchObject({ kind: "illegal", faults: [{ rule: "role-last" }] })
})
