/** Foreign options, parted into their domains; and Anthropic's words for them. */
import { describe, expect, test } from "vitest"
import type { JsonObject } from "@holdfast/schema/json"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import { ingestOptions } from "../src/ingest-options.ts"
import type { ModelRequestOptions, RequestOptions, ToolChoice } from "../src/options.ts"
import { segmentsOf, targetOf, user } from "./requests.ts"

describe("ingestion", () => {
  test("[CA2] parts one AI-SDK object into the three domains", () => {
    const given: JsonObject = {
      maxOutputTokens: 100,
      temperature: 0.2,
      topP: 0.9,
      stopSequences: ["x"],
      toolChoice: { type: "tool", toolName: "read" },
      responseFormat: { type: "json", name: "a", schema: { type: "object" } },
      seed: 7,
      providerOptions: {
        openai: {
          reasoningEffort: "high",
          reasoningSummary: "auto",
          textVerbosity: "low",
          promptCacheKey: "k",
          promptCacheRetention: "24h",
          serviceTier: "flex",
          parallelToolCalls: false,
          metadata: { a: "b" },
          store: true,
        },
        google: { thinkingConfig: { thinkingBudget: 9 } },
      },
    }
    expect(ingestOptions(given, ["openai"])).toEqual({
      generation: {
        outputTokensMax: 100,
        temperature: 0.2,
        topP: 0.9,
        stop: ["x"],
        toolChoice: { tool: "read" },
        structured: { name: "a", schema: { type: "object" } },
      },
      model: {
        reasoning: { kind: "effort", effort: "high" },
        reasoningSummary: "auto",
        verbosity: "low",
        cacheKey: "k",
        cacheTtl: "24h",
        serviceTier: "flex",
        parallelCalls: false,
      },
      body: { seed: 7, metadata: { a: "b" } },
      refused: ["store", "providerOptions.google"],
    })
  })

  test("[CA2] takes hosted tools as they are declared, also for one provider alone, and none at all", () => {
    const search = { type: "file_search", filters: { type: "eq", key: "region", value: "us" } }
    const take = (given: JsonObject) => ingestOptions(given, ["openai"])
    const found = { generation: {}, model: { hostedTools: [search] }, body: {}, refused: [] }
    expect(take({ hostedTools: [search] })).toEqual(found)
    expect(take({ providerOptions: { openai: { hosted_tools: [search] } } })).toEqual(found)
    expect(take({ hostedTools: [] }).model).toEqual({ hostedTools: [] })
  })

  test.each<[JsonObject["x"], readonly string[]]>([
    ["web_search", ["hostedTools"]],
    [{ type: "web_search" }, ["hostedTools"]],
    [["web_search"], ["hostedTools"]],
    [[{ type: "mcp", headers: { a: "sk-1" } }], ["hostedTools.headers"]],
    [[{ type: "mcp", deep: [{ authorization: "sk-1" }] }], ["hostedTools.authorization"]],
    [
      [{ type: "x", api_key: "sk-1", accessToken: "sk-2" }],
      ["hostedTools.api_key", "hostedTools.accessToken"],
    ],
  ])("[CA2 AU1] refuses hosted tools of another shape or with a secret: %j", (hostedTools, refused) =>
    expect(ingestOptions({ hostedTools: hostedTools as JsonObject })).toEqual({
      generation: {},
      model: {},
      body: {},
      refused,
    }),
  )

  test("[CA2] reads options and modes of models.dev shape", () => {
    const { model, body } = ingestOptions({
      options: {
        thinking: { type: "enabled", budgetTokens: 16_000 },
        cacheControl: { type: "ephemeral", ttl: "1h" },
      },
      provider: { body: { service_tier: "priority", speed: "fast" }, npm: "@ai-sdk/openai" },
    })
    expect(model).toEqual({ reasoning: { kind: "budget", tokens: 16_000 }, cacheTtl: "1h" })
    expect(body).toEqual({ service_tier: "priority", speed: "fast" })
  })

  test.each<[JsonObject, ModelRequestOptions["reasoning"]]>([
    [{ reasoningEffort: "none" }, { kind: "off" }],
    [{ reasoning_effort: "low" }, { kind: "effort", effort: "low" }],
    [
      { thinking: { type: "adaptive" }, effort: "max" },
      { kind: "adaptive", effort: "max" },
    ],
    [{ thinking: { type: "disabled" }, effort: "max" }, { kind: "off" }],
    [{ thinking: { type: "enabled" } }, { kind: "adaptive" }],
    [{ thinkingConfig: { thinkingBudget: 0 } }, { kind: "off" }],
    [{ reasoning: { max_tokens: 2_000 } }, { kind: "budget", tokens: 2_000 }],
    [{ reasoning: { enabled: false } }, { kind: "off" }],
    [{}, undefined],
  ])("[CA2] gives one meaning to %j", (given, reasoning) => {
    expect(ingestOptions(given).model.reasoning).toEqual(reasoning)
  })

  test("[CA2] lets no secret, address or conversation through, and refuses nonsense by name", () => {
    const given = {
      apiKey: "sk-1",
      baseURL: "https://x",
      headers: { authorization: "Bearer x" },
      messages: [],
      stream: false,
      temperature: "hot",
      toolChoice: { type: "tool" },
      extraBody: { api_key: "sk-2", top_k: 5 },
      access_token: "t",
    }
    const { generation, model, body, refused } = ingestOptions(given)
    expect([generation, model, body]).toEqual([{}, {}, { top_k: 5 }])
    expect([...refused].sort()).toEqual(
      [
        "access_token",
        "apiKey",
        "api_key",
        "baseURL",
        "headers",
        "messages",
        "stream",
        "temperature",
        "toolChoice",
      ].sort(),
    )
    expect(JSON.stringify({ body, refused })).not.toContain("sk-")
  })
})

describe("Anthropic's words", () => {
  const params = (more: Partial<RequestOptions>) => {
    const target = targetOf({}, more)
    const encoded = anthropicMessages.encode(segmentsOf([user("a")]), target)
    expect(anthropicMessages.lint(encoded, target)).toEqual([])
    return JSON.parse(encoded.params) as object
  }

  test("[CA2] are written for what is set and for nothing else", () => {
    expect(params({ model: {} })).toEqual({ model: "claude-test", max_tokens: 8_192, stream: true })
    expect(
      params({
        generation: {
          outputTokensMax: 9,
          temperature: 1,
          topP: 0.95,
          stop: ["x"],
          toolChoice: "auto",
          structured: { name: "a", schema: {} },
        },
        model: { reasoning: { kind: "adaptive", effort: "max" }, serviceTier: "auto", parallelCalls: false },
        body: { speed: "fast", system: "no", max_tokens: 1, thinking: {} },
      }),
    ).toEqual({
      model: "claude-test",
      max_tokens: 9,
      stream: true,
      thinking: { type: "adaptive" },
      temperature: 1,
      top_p: 0.95,
      stop_sequences: ["x"],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      output_config: { effort: "max", format: { type: "json_schema", schema: {} } },
      service_tier: "auto",
      speed: "fast",
    })
  })

  test.each<readonly [ToolChoice, object]>([
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    ["required", { type: "any" }],
    [{ tool: "read" }, { type: "tool", name: "read" }],
  ])("[CA2] say what may be called: %j", (toolChoice, expected) => {
    const found = params({ model: {}, generation: { outputTokensMax: 9, toolChoice } })
    expect(found).toMatchObject({ tool_choice: expected })
  })

  test("[CA2] pass on what stands beside their own settings of the output", () => {
    const reasoning = { kind: "adaptive", effort: "low" } as const
    const body = { output_config: { effort: "max", task_budget: { type: "tokens", total: 9 } } }
    expect(params({ model: { reasoning }, body })).toMatchObject({
      output_config: { effort: "low", task_budget: { type: "tokens", total: 9 } },
    })
  })

  test("[CA2] show thinking only in this provider's own ways", () => {
    const shown = (reasoningSummary: string) =>
      params({ model: { reasoning: { kind: "adaptive" }, reasoningSummary } })
    expect(shown("omitted")).toMatchObject({ thinking: { type: "adaptive", display: "omitted" } })
    expect(shown("auto")).toMatchObject({ thinking: { type: "adaptive" } })
    expect(shown("auto")).not.toMatchObject({ thinking: { display: "auto" } })
  })

  test.each<[ModelRequestOptions["reasoning"], object]>([
    [{ kind: "effort", effort: "low" }, { output_config: { effort: "low" } }],
    [{ kind: "off" }, { thinking: { type: "disabled" } }],
    [{ kind: "adaptive" }, { thinking: { type: "adaptive" } }],
  ])("[CA2] say how much to think: %j", (reasoning, expected) => {
    const {
      model: _,
      max_tokens: __,
      stream: ___,
      ...rest
    } = params({ model: { reasoning: reasoning as never } }) as Record<string, unknown>
    expect(rest).toEqual(expected)
  })
})
