/** How each kind of entry is lowered. */
import { describe, expect, test } from "vitest"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import type { Entry, EntryPart, Target } from "../src/segments.ts"
import type { Json } from "@holdfast/schema/json"
import {
  answer,
  call,
  messagesOf,
  notice,
  segmentsOf,
  system,
  targetOf,
  text,
  thinking,
  user,
} from "./requests.ts"

const { encode } = anthropicMessages

type Said = readonly [role: string, content: readonly Readonly<Record<string, unknown>>[]]

const said = (entries: readonly Entry[], target: Target = targetOf()): readonly Said[] =>
  messagesOf(encode(segmentsOf(entries), target), target).map(({ role, content }) => [
    role,
    content.map((block) => ({ ...block, cache_control: undefined })),
  ])

const words = (value: string) => ({ type: "text", text: value })

describe("system messages", () => {
  const fallback = (value: string) => words(`<context-update from="runtime">\n${value}\n</context-update>`)

  test("[LL2] take the provider's own role after user content, before an answer or the end", () => {
    const target = targetOf({ systemRole: true })
    expect(said([user("a"), system("s"), answer(text("b")), user("c"), system("t")], target)).toEqual([
      ["user", [words("a")]],
      ["system", [words("s")]],
      ["assistant", [words("b")]],
      ["user", [words("c")]],
      ["system", [words("t")]],
    ])
  })

  test("[LL2] follow the results of calls at their place in time", () => {
    const target = targetOf({ systemRole: true })
    const roles = said([user("a"), answer(call(1)), system("s"), answer(text("b")), user("c")], target)
    expect(roles.map(([role]) => role)).toEqual(["user", "assistant", "user", "system", "assistant", "user"])
  })

  test.each<[string, readonly Entry[]]>([
    ["the first entry", [system("s"), user("a")]],
    ["before user content", [user("a"), system("s"), user("b")]],
    ["behind an answer", [user("a"), answer(text("b")), system("s")]],
  ])("[LL2] are user-side text where their own role is illegal: %s", (_, entries) => {
    const blocks = said(entries, targetOf({ systemRole: true })).flatMap(([, content]) => content)
    expect(blocks).toContainEqual({ ...fallback("s"), cache_control: undefined })
  })

  test("[LL2] give the own role to one of two neighbours at most", () => {
    const target = targetOf({ systemRole: true })
    expect(said([user("a"), system("s"), system("t")], target)).toEqual([
      ["user", [words("a"), fallback("s")]],
      ["system", [words("t")]],
    ])
  })

  test("[LL2] are user-side text for a model without the role, unable to close their tag", () => {
    expect(said([user("a"), system("x </context-update> < / Notice> <b>")])).toEqual([
      ["user", [words("a"), fallback("x &lt;/context-update> &lt; / Notice> <b>")]],
    ])
  })

  test("[PR7] keep notices apart from the user's words", () => {
    expect(said([user("a"), notice("cut")])).toEqual([
      ["user", [words("a"), words('<notice from="runtime">\ncut\n</notice>')]],
    ])
  })
})

describe("reasoning", () => {
  const target = targetOf({ thinkingTokens: 2_048 })
  const signed = { type: "thinking", thinking: "hm", signature: "sig-2" }

  test("[LL4] is repeated exactly to the target that signed it", () => {
    const sealed = { type: "redacted_thinking", data: "c2VhbGVk" }
    expect(
      said([user("a"), answer(thinking("hm"), thinking("", sealed), text("b")), user("c")], target)[1],
    ).toEqual(["assistant", [signed, sealed, words("b")]])
  })

  test.each<[string, Partial<Target>]>([
    ["provider", { provider: "other" }],
    ["model", { model: "other" }],
    ["endpoint", { endpoint: "other" }],
  ])("[LL4] becomes ordinary text for another %s", (_, other) => {
    const entries = [user("a"), answer(thinking("hm"), text("b")), user("c")]
    expect(said(entries, { ...target, ...other })[1]).toEqual(["assistant", [words("hm"), words("b")]])
  })

  test("[LL4] becomes ordinary text after the provider refused its signature", () => {
    const traits = { ...target.options.traits, withoutNative: true }
    const stripped = { ...target, options: { ...target.options, traits } }
    const entries = [user("a"), answer(thinking("hm"), text("b"), call(1))]
    expect(said(entries, stripped)[1]?.[1].slice(0, 2)).toEqual([words("hm"), words("b")])
    const encoded = encode(segmentsOf(entries), stripped)
    expect(anthropicMessages.lint(encoded, stripped)).toEqual([])
    expect(encoded.params).not.toContain("thinking")
  })

  test.each<[string, EntryPart]>([
    ["cut", { type: "reasoning", text: "hm", native: null }],
    ["unsigned", thinking("hm", { type: "thinking", thinking: "hm", signature: "" })],
    ["of an unknown shape", thinking("hm", ["?"])],
  ])("[TU4] is left out when it is %s", (_, part) => {
    expect(said([user("a"), answer(part, text("b")), user("c")], target)[1]).toEqual([
      "assistant",
      [words("b")],
    ])
  })

  test("[TU4] is left out behind the last text or call, and alone", () => {
    const entries = [
      user("a"),
      answer(text("b"), thinking("hm")),
      user("c"),
      answer(thinking("hm")),
      user("d"),
    ]
    expect(said(entries, target)).toEqual([
      ["user", [words("a")]],
      ["assistant", [words("b")]],
      ["user", [words("c"), words("d")]],
    ])
  })

  test.each<[string, readonly Entry[], boolean]>([
    ["no call is open", [user("a"), answer(text("b")), user("c")], true],
    ["the loop begins with it", [user("a"), answer(thinking("hm"), call(1)), answer(call(2))], true],
    ["the loop does not begin with it", [user("a"), answer(call(1)), answer(thinking("hm"), call(2))], false],
    [
      "steering stands between",
      [user("a"), answer(thinking("x"), call(1)), user("b"), answer(call(2))],
      true,
    ],
    ["the user asked anew", [user("a"), answer(call(1)), answer(text("b")), user("c")], true],
  ])("[LL3] stays on in the settings only if the provider takes it: %s", (_, entries, on) => {
    expect(encode(segmentsOf(entries), target).params.includes('"thinking"')).toBe(on)
  })
})

describe("calls", () => {
  test("[TU2] are followed by their results, in order, after the whole answer", () => {
    expect(
      said([user("a"), answer(call(1), text("b"), call(2, { failed: true, result: "no" })), user("c")]),
    ).toEqual([
      ["user", [words("a")]],
      [
        "assistant",
        [
          { type: "tool_use", id: "call_1", name: "read", input: { path: "a.ts" } },
          words("b"),
          { type: "tool_use", id: "call_2", name: "read", input: { path: "a.ts" } },
        ],
      ],
      [
        "user",
        [
          { type: "tool_result", tool_use_id: "call_1", content: "content" },
          { type: "tool_result", tool_use_id: "call_2", content: "no", is_error: true },
          words("c"),
        ],
      ],
    ])
  })

  test.each<[Json, Json]>([
    ["junk", { value: "junk" }],
    [[1], { value: [1] }],
    [null, { value: null }],
    [{}, {}],
    [{ a: "\ud800" }, { a: "\ufffd" }],
  ])("[LL3] carry an object as input: %j", (input, sent) => {
    expect(said([user("a"), answer(call(1, { input })), user("b")])[1]?.[1][0]?.["input"]).toEqual(sent)
  })

  test.each([
    ["a b/c", "a_b_c"],
    ["", "_"],
    ["é😀", "__"],
    ["x".repeat(200), "x".repeat(128)],
  ])("[LL3] carry a legal name for %j", (name, sent) => {
    expect(said([user("a"), answer(call(1, { name })), user("b")])[1]?.[1][0]?.["name"]).toBe(sent)
  })

  test("[LL3] bring a stand-in tool when history holds calls and no tool is offered", () => {
    const encoded = encode(segmentsOf([user("a"), answer(call(1)), user("b")], { tools: [] }), targetOf())
    expect(JSON.parse(encoded.blocks[0]?.json ?? "")).toMatchObject({ name: "no_tool_available" })
    expect(anthropicMessages.lint(encoded, targetOf())).toEqual([])
  })
})

test("[TU1] repeats the blocks of entries that come back, in every segment", () => {
  const [a, b, c] = [user("a"), answer(text("b")), user("c")]
  const first = encode(segmentsOf([a, b, c]), targetOf())
  const moved = encode(segmentsOf([c], { historyBaseline: [a], historyDelta: [b] }), targetOf())
  expect(moved.prefixHash).toBe(first.prefixHash)
  expect(moved.blocks.map((block) => block.segment)).toEqual([
    "tools",
    "system",
    "agent",
    "history-baseline",
    "history-delta",
    "tail",
  ])
  expect(
    encode(segmentsOf([a, b, c]), targetOf()).blocks.every((block, i) => block === first.blocks[i]),
  ).toBe(true)
})

test("[SC14] leaves out prompts without text", () => {
  const encoded = encode(segmentsOf([user("a")], { system: " ", agent: "", tools: [] }), targetOf())
  expect(encoded.blocks).toHaveLength(1)
})
