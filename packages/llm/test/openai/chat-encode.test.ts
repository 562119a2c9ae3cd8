/** How each kind of entry is lowered to messages, by the profile of a server. */
import { describe, expect, test } from "vitest"
import { bridgeText } from "../../src/openai-chat/encode.ts"
import { openaiChat as wire } from "../../src/openai-chat/index.ts"
import { profileOf, profiles } from "../../src/openai-chat/profiles.ts"
import type { ModelRequestOptions, RequestOptions } from "../../src/options.ts"
import type { Entry, EntryPart, Target } from "../../src/segments.ts"
import { answer, bodyText, call, notice, segmentsOf, system, text, thinking, user } from "../requests.ts"
import { chatTarget, own, reasoned } from "./requests.ts"

interface Body {
  readonly messages: readonly Record<string, unknown>[]
  readonly tools?: readonly Record<string, unknown>[]
  readonly [name: string]: unknown
}

function bodyOf(entries: readonly Entry[], to: Target): Body {
  const encoded = wire.encode(segmentsOf(entries), to)
  expect(wire.lint(encoded, to)).toEqual([])
  return JSON.parse(bodyText(wire.place(encoded, to, 0))) as Body
}

/** Messages behind the two prompts. */
const said = (entries: readonly Entry[], profile = "generic") =>
  bodyOf(entries, chatTarget(profile)).messages.slice(2)
const words = (role: string, content: string) => ({ role, content })
const thought = (profile: string, details: Parameters<typeof reasoned>[1] = []): EntryPart => ({
  type: "reasoning",
  text: "hm",
  ...own(chatTarget(profile), reasoned("hm", details)),
})

test("[LL1] puts tools before messages, and prompts in the role of the server", () => {
  const roles = (profile: string) =>
    bodyOf([user("a")], chatTarget(profile)).messages.map((item) => item["role"])
  expect(roles("openai")).toEqual(["developer", "developer", "user"])
  expect(roles("vllm")).toEqual(["system", "system", "user"])
  expect(bodyOf([user("a")], chatTarget("generic")).tools).toMatchObject([
    { type: "function", function: { name: "read" } },
  ])
})

describe("system messages", () => {
  test.each([
    ["openai", "developer"],
    ["xai", "system"],
  ])("[LL2] take the role of %s at their place in time", (profile, role) => {
    expect(said([user("a"), system("s"), answer(text("b")), system("t"), user("c")], profile)).toEqual([
      words("user", "a"),
      words(role, "s"),
      words("assistant", "b"),
      words(role, "t"),
      words("user", "c"),
    ])
  })

  test.each(["generic", "openrouter", "mistral", "ollama"])(
    "[LL2] are wrapped on the user's side for %s",
    (profile) => {
      expect(said([user("a"), system("x </context-update>")], profile)[1]).toEqual(
        words("user", '<context-update from="runtime">\nx &lt;/context-update>\n</context-update>'),
      )
    },
  )

  test("[PR7] keep notices apart from the user's words", () => {
    expect(said([user("a"), notice("cut")])[1]).toEqual(
      words("user", '<notice from="runtime">\ncut\n</notice>'),
    )
  })
})

describe("reasoning", () => {
  const details = [{ type: "reasoning.text", text: "hm", signature: "s" }]

  test("[LL4] comes back with the calls it led to where the server wants it", () => {
    const [, asked] = said([user("a"), answer(thought("deepseek"), call(1)), user("b")], "deepseek")
    expect(asked).toMatchObject({ reasoning_content: "hm", tool_calls: [{ id: "call_1" }] })
    const [, told] = said([user("a"), answer(thought("deepseek"), text("b")), user("c")], "deepseek")
    expect(told).toEqual(words("assistant", "b"))
  })

  test("[LL4] is named even if there is none where the server refuses its absence", () => {
    expect(said([user("a"), answer(call(1)), user("b")], "deepseek")[1]).toMatchObject({
      reasoning_content: "",
    })
    expect(said([user("a"), answer(call(1)), user("b")], "groq")[1]).not.toHaveProperty("reasoning_content")
  })

  test("[LL4] brings its details back unchanged", () => {
    const [, told] = said(
      [user("a"), answer(thought("openrouter", details), text("b")), user("c")],
      "openrouter",
    )
    expect(told).toEqual({
      role: "assistant",
      content: "b",
      reasoning_content: "hm",
      reasoning_details: details,
    })
  })

  test("[LL4] is left out for a server that takes none back, and becomes text for another target", () => {
    expect(said([user("a"), answer(thought("groq"), text("b")), user("c")], "groq")[1]).toEqual(
      words("assistant", "b"),
    )
    expect(said([user("a"), answer(thought("groq"), text("b")), user("c")], "openrouter")[1]).toEqual(
      words("assistant", "hm\n\nb"),
    )
    expect(said([user("a"), answer(thinking("hm"), text("b")), user("c")])[1]).toEqual(
      words("assistant", "hm\n\nb"),
    )
  })

  test("[TU4] that was cut, or that is alone, is left out", () => {
    const cut: EntryPart = { type: "reasoning", text: "h", native: null }
    expect(said([user("a"), answer(cut, text("b")), user("c")])[1]).toEqual(words("assistant", "b"))
    expect(said([user("a"), answer(thought("openrouter")), user("c")], "openrouter")).toHaveLength(2)
  })

  test("[LL4] leaves its mark on a call, for the target that made it", () => {
    const extra = { extra_content: { google: { thought_signature: "s" } } }
    const marked = call(1, own(chatTarget("generic"), { type: "call", extra }))
    expect(said([user("a"), answer(marked), user("b")])[1]).toMatchObject({ tool_calls: [extra] })
    expect(JSON.stringify(said([user("a"), answer(marked), user("b")], "vllm"))).not.toContain(
      "thought_signature",
    )
  })
})

describe("calls", () => {
  test("[TU2] stand in one answer, and each result directly behind it", () => {
    expect(
      said([user("a"), answer(call(1), text("b"), call(2, { failed: true, result: "no" })), user("c")]),
    ).toEqual([
      words("user", "a"),
      {
        role: "assistant",
        content: "b",
        tool_calls: [1, 2].map((id) => ({
          id: `call_${id}`,
          type: "function",
          function: { name: "read", arguments: '{"path":"a.ts"}' },
        })),
      },
      { role: "tool", content: "content", tool_call_id: "call_1" },
      { role: "tool", content: "[failed]\nno", tool_call_id: "call_2" },
      words("user", "c"),
    ])
  })

  test("[LL3] have ids and neighbours as Mistral takes them", () => {
    const items = said([user("a"), answer(call(1), call(2)), user("c")], "mistral")
    const asked = items[1] as { readonly tool_calls: readonly { readonly id: string }[] }
    const ids = asked.tool_calls.map((item) => item.id)
    expect(ids.every((id) => /^[a-z0-9]{9}$/.test(id))).toBe(true)
    expect(items.map((item) => item["tool_call_id"] ?? item["content"])).toEqual([
      "a",
      "",
      ...ids,
      bridgeText,
      "c",
    ])
  })

  test("[LL3] keep a schema that the server takes, strict only if it is so by itself", () => {
    const loose = {
      name: "loose",
      description: "",
      inputSchema: { $schema: "x", anyOf: [], properties: { anyOf: { type: "string" } } },
    }
    const strict = {
      name: "tight",
      description: "",
      inputSchema: {
        type: "object",
        properties: { a: { type: "string" } },
        required: ["a"],
        additionalProperties: false,
      },
    }
    const to = chatTarget("openai", { traits: { profile: "openai", strictTools: true } })
    const encoded = wire.encode(segmentsOf([user("a")], { tools: [loose, strict] }), to)
    expect(wire.lint(encoded, to)).toEqual([])
    expect(
      encoded.blocks.slice(0, 2).map((block) => (JSON.parse(block.json) as { function: object }).function),
    ).toEqual([
      {
        name: "loose",
        description: "",
        parameters: { properties: { anyOf: { type: "string" } }, type: "object" },
      },
      { name: "tight", description: "", parameters: strict.inputSchema, strict: true },
    ])
  })
})

describe("options", () => {
  const params = (profile: string, more: Partial<RequestOptions>) => {
    const {
      messages: _,
      tools: __,
      ...rest
    } = bodyOf([user("a")], chatTarget(profile, { traits: { profile }, ...more }))
    return rest
  }

  test("[CA2] become a server's words only here", () => {
    const all: Partial<RequestOptions> = {
      generation: {
        outputTokensMax: 100,
        temperature: 0,
        topP: 0.5,
        stop: ["x"],
        toolChoice: "required",
        structured: { name: "a", schema: {} },
      },
      model: {
        reasoning: { kind: "effort", effort: "high" },
        verbosity: "low",
        cacheKey: "k",
        cacheTtl: "24h",
        serviceTier: "flex",
        parallelCalls: false,
      },
      body: { seed: 7, messages: [], n: 2 },
    }
    expect(params("openai", all)).toEqual({
      model: "chat-test",
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 100,
      temperature: 0,
      top_p: 0.5,
      stop: ["x"],
      reasoning_effort: "high",
      verbosity: "low",
      response_format: { type: "json_schema", json_schema: { name: "a", schema: {}, strict: true } },
      tool_choice: "required",
      parallel_tool_calls: false,
      prompt_cache_key: "k",
      prompt_cache_retention: "24h",
      service_tier: "flex",
      seed: 7,
    })
    expect(params("mistral", all)).toEqual({
      model: "chat-test",
      stream: true,
      max_tokens: 100,
      temperature: 0,
      top_p: 0.5,
      stop: ["x"],
      reasoning_effort: "high",
      verbosity: "low",
      response_format: { type: "json_schema", json_schema: { name: "a", schema: {}, strict: true } },
      tool_choice: "any",
      parallel_tool_calls: false,
      seed: 7,
    })
  })

  test.each<[string, ModelRequestOptions["reasoning"], object]>([
    ["generic", { kind: "off" }, { reasoning_effort: "none" }],
    ["generic", { kind: "budget", tokens: 2_000 }, {}],
    ["deepseek", { kind: "off" }, { thinking: { type: "disabled" } }],
    [
      "deepseek",
      { kind: "effort", effort: "max" },
      { thinking: { type: "enabled" }, reasoning_effort: "max" },
    ],
    ["openrouter", { kind: "budget", tokens: 2_000 }, { reasoning: { max_tokens: 2_000 } }],
    ["openrouter", { kind: "adaptive" }, { reasoning: { enabled: true } }],
    ["openrouter", { kind: "off" }, { reasoning: { enabled: false } }],
  ])("[CA2] say to %s how much to reason: %j", (profile, reasoning, expected) => {
    const {
      model: _,
      stream: __,
      stream_options: ___,
      max_tokens: ____,
      prompt_cache_key: _____,
      ...rest
    } = params(profile, { model: reasoning === undefined ? {} : { reasoning } })
    expect(rest).toEqual(expected)
  })

  test("[LL5] mark messages for a router in front of a model that wants marks", () => {
    const to = chatTarget("openrouter", {
      traits: { profile: "openrouter", cacheMarkers: "anthropic" },
      model: { cacheTtl: "1h" },
    })
    const placed = wire.place(wire.encode(segmentsOf([user("a"), answer(call(1))]), to), to, 0)
    expect(placed.record.markers).toEqual([
      { block: 2, lifetime: "1h" },
      { block: 5, lifetime: "1h" },
    ])
    const { messages } = JSON.parse(bodyText(placed)) as Body
    const cache_control = { type: "ephemeral", ttl: "1h" }
    expect(messages.at(-1)).toEqual({
      role: "tool",
      content: [{ type: "text", text: "content", cache_control }],
      tool_call_id: "call_1",
    })
  })
})

test.each([
  ["deepseek", "https://x.example", undefined, "deepseek"],
  ["mine", "https://api.groq.com/openai/v1", undefined, "groq"],
  ["mine", "https://eu.api.mistral.ai/v1", undefined, "mistral"],
  ["mine", "http://127.0.0.1:8000/v1", "vllm", "vllm"],
  ["constructor", "nowhere", undefined, "generic"],
])("[LL1] knows the server of %s at %s", (provider, endpoint, profile, name) => {
  const traits = profile === undefined ? {} : { profile }
  const to = { ...chatTarget("generic", { traits }), provider, endpoint }
  expect(profileOf(to).name).toBe(name)
  expect(Object.keys(profiles)).toHaveLength(12)
})
