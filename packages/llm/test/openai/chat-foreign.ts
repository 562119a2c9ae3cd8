/** Legal Chat bodies of other clients, each with the server that takes it, by what is special about them. */
import {
  asking,
  type Body,
  called,
  hi,
  image,
  loop,
  picture,
  result,
  said,
  schema,
  tool,
  words,
} from "./chat-bodies.ts"

export type Table = Readonly<Record<string, readonly [server: string, body: Body]>>

const messages: Table = {
  "content in parts": ["openai", asking({ messages: [said("user", [words("a"), words("b")])] })],
  "three prompts": [
    "openai",
    asking({ messages: [said("system", "a"), said("developer", "b"), said("system", [words("c")]), hi] }),
  ],
  "an instruction in time": [
    "groq",
    asking({ messages: [hi, said("assistant", "Hello"), said("system", "Be brief."), hi] }),
  ],
  "an answer with all its members": [
    "openai",
    asking({
      messages: [
        hi,
        said("assistant", "Hello", { refusal: null, annotations: [], audio: null, function_call: null }),
        hi,
      ],
    }),
  ],
  "an answer in parts": [
    "mistral",
    asking({ messages: [hi, said("assistant", [words("a"), words("b")]), hi] }),
  ],
  "several messages of one side": ["openai", asking({ messages: [hi, hi, said("assistant", "a"), hi] })],
  "marks of a cache": [
    "openrouter",
    asking({
      messages: [
        said("system", [words("a", { cache_control: { type: "ephemeral", ttl: "1h" } })]),
        said("user", [words("b"), words("c", { cache_control: { type: "ephemeral" } })]),
      ],
    }),
  ],
  "breakpoints of a cache": [
    "openai",
    asking({ messages: [said("user", [words("a", { prompt_cache_breakpoint: { mode: "explicit" } })])] }),
  ],
  "an image behind the words": ["openai", asking({ messages: [said("user", [words("a"), image()])] })],
  "an image alone, of the usual detail": [
    "openai",
    asking({ messages: [said("user", [image({ detail: "auto" })])] }),
  ],
  "an image as an address alone": [
    "mistral",
    asking({ messages: [said("user", [{ type: "image_url", image_url: picture }, words("a")])] }),
  ],
}

const calls: Table = {
  "no content beside calls": ["deepseek", loop({})],
  "empty content beside calls": ["deepseek", loop({ content: "" })],
  "null beside calls": [
    "mistral",
    loop({ content: null, tool_calls: [called("abcDEF123")] }, [result("abcDEF123")]),
  ],
  "arguments with spaces": ["openai", loop({ tool_calls: [called("call_1", '{ "city": "Paris" }')] })],
  "no arguments": ["groq", loop({ tool_calls: [called("call_1", "")] })],
  "a result with the name of its tool": ["openai", loop({}, [result("call_1", "x", { name: "weather" })])],
  "a result in parts": ["openai", loop({}, [result("call_1", [words("a"), words("b")])])],
  "results in another order": [
    "openai",
    loop({ tool_calls: [called("call_1"), called("call_2")] }, [
      result("call_2", "b"),
      result("call_1", "a"),
    ]),
  ],
  "an id that is too long for OpenAI": [
    "vllm",
    loop({ tool_calls: [called(`chatcmpl-tool-${"0".repeat(32)}`)] }, [
      result(`chatcmpl-tool-${"0".repeat(32)}`),
    ]),
  ],
  "an id that names its function": [
    "generic",
    loop({ tool_calls: [called("functions.weather:0")] }, [result("functions.weather:0")]),
  ],
  "a call's place in its stream": ["groq", loop({ tool_calls: [called("call_1", "{}", { index: 0 })] })],
  "what a server keeps with a call": [
    "generic",
    loop({ tool_calls: [called("call_1", "{}", { extra_content: { google: { thought_signature: "s" } } })] }),
  ],
  "a loop of two answers": [
    "openai",
    loop({ content: "Let me see." }, [
      result("call_1"),
      { role: "assistant", content: null, tool_calls: [called("call_2")] },
      result("call_2"),
      said("assistant", "Sunny."),
      hi,
    ]),
  ],
  "a result that failed": ["openai", loop({}, [result("call_1", "[failed]\nno")])],
}

const tools: Table = {
  "a strict tool": ["openai", asking({ tools: [tool({ strict: true })] })],
  "tools that are not strict": [
    "openai",
    asking({ tools: [tool({ strict: false }), tool({ strict: null }, "b")] }),
  ],
  "a tool without a description": ["openai", asking({ tools: [tool({ description: undefined })] })],
  "a tool without parameters": ["openai", asking({ tools: [tool({ parameters: undefined })] })],
  "a schema with its own address": [
    "openai",
    asking({
      tools: [tool({ parameters: { $schema: "http://json-schema.org/draft-07/schema#", ...schema } })],
    }),
  ],
  "a property of the name of a mark": [
    "openai",
    asking({ tools: [tool({ parameters: { type: "object", properties: { cache_control: {} } } })] }),
  ],
  "no tools": ["groq", asking({ tools: [], tool_choice: "none" })],
  "the usual choice": ["openai", asking({ tools: [tool()], tool_choice: "auto" })],
  "a forced choice": [
    "openai",
    asking({ tools: [tool()], tool_choice: "required", parallel_tool_calls: false }),
  ],
  "a forced choice in Mistral's word": ["mistral", asking({ tools: [tool()], tool_choice: "any" })],
  "no choice": ["openai", asking({ tools: [tool()], tool_choice: "none" })],
  "a named choice": [
    "openai",
    asking({ tools: [tool()], tool_choice: { type: "function", function: { name: "weather" } } }),
  ],
}

const settings: Table = Object.fromEntries(
  (
    [
      ["openai", {}],
      ["openai", { max_tokens: 9 }],
      ["groq", { max_completion_tokens: 9 }],
      ["openai", { max_completion_tokens: null, temperature: null }],
      ["openai", { stream_options: { include_usage: true }, store: true }],
      ["openai", { stream_options: null }],
      ["openai", { stream_options: { include_usage: false } }],
      ["openai", { n: 1, temperature: 0.5, top_p: 1, stop: "END" }],
      [
        "openai",
        { stop: ["a", "b"], seed: 1, logprobs: true, top_logprobs: 2, user: "u", metadata: { a: "b" } },
      ],
      ["openai", { frequency_penalty: 1, presence_penalty: -1, logit_bias: { 1: 2 }, modalities: ["text"] }],
      ["openai", { response_format: { type: "text" }, verbosity: "low", reasoning_effort: "minimal" }],
      ["deepseek", { response_format: { type: "json_object" } }],
      [
        "openai",
        { response_format: { type: "json_schema", json_schema: { name: "a", schema, strict: true } } },
      ],
      ["openai", { response_format: { type: "json_schema", json_schema: { name: "a", schema } } }],
      [
        "openai",
        {
          response_format: {
            type: "json_schema",
            json_schema: { name: "a", description: "b", schema, strict: true },
          },
        },
      ],
      ["openai", { prompt_cache_key: "k", prompt_cache_retention: "24h", service_tier: "flex" }],
      [
        "openai",
        { safety_identifier: "s", prediction: { type: "content", content: "x" }, web_search_options: {} },
      ],
      ["vllm", { prompt_cache_key: "k", service_tier: "auto" }],
      [
        "openrouter",
        { provider: { order: ["a"], sort: "price" }, usage: { include: true }, transforms: ["middle-out"] },
      ],
      ["openrouter", { reasoning: { effort: "high", exclude: true } }],
      ["openrouter", { reasoning: { effort: "high" } }],
      ["openrouter", { reasoning: { max_tokens: 2_000 } }],
      ["openrouter", { reasoning: { enabled: false } }],
      ["openrouter", { reasoning_effort: "low", include_reasoning: true }],
      [
        "openrouter",
        { models: ["a", "b"], route: "fallback", plugins: [{ id: "web" }], top_k: 4, min_p: 0.1 },
      ],
      ["openai", { reasoning_effort: "none" }],
      ["deepseek", { thinking: { type: "disabled" } }],
      ["deepseek", { thinking: { type: "enabled" }, reasoning_effort: "high" }],
      ["deepseek", { thinking: { type: "enabled", budget_tokens: 100 } }],
      ["deepseek", { reasoning_effort: "high" }],
      ["generic", { thinking: { type: "enabled", clear_thinking: false } }],
      ["together", { reasoning: { enabled: true }, repetition_penalty: 1.1 }],
      ["groq", { reasoning_format: "parsed", reasoning_effort: "default", service_tier: "flex" }],
      ["xai", { reasoning_effort: "low", search_parameters: { mode: "auto" } }],
      ["fireworks", { context_length_exceeded_behavior: "truncate", prompt_cache_key: "k" }],
      ["vllm", { chat_template_kwargs: { enable_thinking: false }, guided_json: schema }],
      ["ollama", { keep_alive: "5m", options: { num_ctx: 8_192 } }],
      ["lmstudio", { ttl: 300, draft_model: "d" }],
      ["mistral", { safe_prompt: true, random_seed: 1, prompt_mode: "reasoning" }],
    ] as readonly (readonly [string, Body])[]
  ).map(([server, more]) => [`${server} ${JSON.stringify(more)}`, [server, asking(more)]]),
)

const reasoning: Table = Object.fromEntries(
  ["deepseek", "groq", "together", "fireworks", "xai", "ollama", "lmstudio", "vllm", "openrouter"].flatMap(
    (server) =>
      (
        [
          { reasoning_content: "hm" },
          { reasoning: "hm" },
          { reasoning_content: "", reasoning: null, reasoning_details: [] },
          { reasoning: "hm", reasoning_content: "hm" },
          { reasoning: "hm", reasoning_details: [{ type: "reasoning.text", text: "hm", signature: "s" }] },
          { reasoning_details: [{ type: "reasoning.encrypted", data: "x" }] },
        ] as readonly Body[]
      ).flatMap((more): readonly (readonly [string, readonly [string, Body]])[] => [
        [`${server} takes back ${JSON.stringify(more)}`, [server, loop({ content: "a", ...more })]],
        [
          `${server} takes back ${JSON.stringify(more)} without calls`,
          [server, asking({ messages: [hi, said("assistant", "a", more), hi] })],
        ],
      ]),
  ),
)

export const foreign: Readonly<Record<string, Table>> = { messages, calls, tools, settings, reasoning }
