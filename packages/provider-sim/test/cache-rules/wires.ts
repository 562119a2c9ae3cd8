/** Cases of rules that show only through a wire: its limits, its fields, and what it makes of a body. */
import { dataUrl, png } from "../pictures.ts"
import { cacheRulesOf } from "../../src/openai/prompt.ts"
import { createProviderSim, scripted, textReply } from "../../src/index.ts"
import type { ChatDialect, ProviderSim, SimModel, SimRequest } from "../../src/index.ts"
import { postGemini } from "../clients.ts"
import { chat, openaiSim, postTo, responses } from "../openai/requests.ts"
import { body, headers, post, readTool, textOf } from "../requests.ts"
import { assistant, call, marked, markedLong, result, thought, user } from "../validate/conversations.ts"
import type { RuleCase, RuleId } from "./rules.ts"

export type WireCase = RuleCase<never>

export const model = (traits: Omit<SimModel, "reply"> = {}) => scripted(() => textReply("Hi."), traits)

/** What each request reads, or the status it is refused with; the place in the list is its time. */
export function reads(sim: ProviderSim, requests: readonly SimRequest[]): readonly unknown[] {
  return requests.map((request, nowMs) => {
    const { status } = sim.respond(request, nowMs)
    return sim.log.at(-1)?.cache?.read ?? `refused: ${status}`
  })
}

const say = (count: number, marks: readonly object[]) =>
  user(Array.from({ length: count }, (_, index) => ({ type: "text", text: "x", ...marks[index] })))
const long = { type: "text", text: "rule ".repeat(1_200) }

const anthropicCases: readonly WireCase[] = [
  {
    rules: ["anthropic.max_breakpoints"],
    title: "takes four markers and refuses five",
    play: () =>
      [4, 5].map((count) => {
        const messages = [say(5, Array<object>(count).fill(marked))]
        return createProviderSim({ models: { plain: model() } }).respond(post(body({ messages })), 0).status
      }),
    expected: [200, 400],
  },
  {
    rules: ["anthropic.mixed_ttl"],
    title: "refuses a long marker behind a short one",
    play: () =>
      [
        [markedLong, marked],
        [marked, markedLong],
      ].map((marks) => {
        const sim = createProviderSim({ models: { plain: model() } })
        return sim.respond(post(body({ messages: [say(2, marks)] })), 0).status
      }),
    expected: [200, 400],
  },
  {
    rules: ["anthropic.scope"],
    title: "shares a cache between the keys of one workspace, and not with another",
    play() {
      const open = () => createProviderSim({ models: { plain: model() } })
      const ask = (key: string) =>
        post(body({ system: [{ ...long, ...marked }] }), { headers: { ...headers, "x-api-key": key } })
      const home = reads(open(), [ask("one"), ask("two")])
      return [...home, ...reads(open(), [ask("one")])].map((read) => Number(read) > 0)
    },
    expected: [false, true, false],
  },
  {
    rules: ["anthropic.thinking"],
    title: "ends the prefix at dropped thinking once a turn is over, and not within it",
    play() {
      const first = [
        user([{ ...long }]),
        assistant([thought("plain", "hm"), call("c1")]),
        user([{ ...result("c1"), ...marked }]),
      ]
      const second = [
        ...first.slice(0, 2),
        user([result("c1")]),
        assistant([thought("plain", "so"), call("c2")]),
        user([{ ...result("c2"), ...marked }]),
      ]
      const turn = [...second.slice(0, 4), user([result("c2")]), assistant("Done."), say(1, [marked])]
      const talk = [first, second, turn].map((messages) =>
        post(
          body({
            messages,
            tools: [readTool],
            max_tokens: 2_000,
            thinking: { type: "enabled", budget_tokens: 1_024 },
          }),
        ),
      )
      return [true, false].map((dropsThinking) => {
        const sim = createProviderSim({ models: { plain: model({ thinking: true, dropsThinking }) } })
        return reads(sim, talk).map((read) => Number(read) > 0)
      })
    },
    expected: [
      [false, true, false],
      [false, true, true],
    ],
  },
]

/** Instructions of exactly so many tokens. */
const instructions = (tokens: number) => "i".repeat(tokens * 4 - "instructions ".length)
const ask = (changes: object) => postTo("/v1/responses", responses(changes))
/** A picture of 1,445 tokens. */
const picture = (note: string) => ({
  role: "user",
  content: [{ type: "input_image", image_url: dataUrl(png(2_048, 768, note)) }],
})
const format = (name: string) => ({
  text: { format: { type: "json_schema", name, schema: { type: "object", properties: {} } } },
})

const openaiCases: readonly WireCase[] = [
  {
    rules: ["openai_pre_5_6.granularity", "openai_pre_5_6.match", "openai_pre_5_6.breakpoints"],
    title: "reads the whole steps of 128 of what two requests share",
    play: () =>
      reads(
        openaiSim(),
        ["one", "two"].map((input) => ask({ instructions: instructions(1_500), input })),
      ),
    expected: [0, 1_408],
  },
  {
    rules: ["openai_pre_5_6.ttl", "openai_pre_5_6.granularity", "openai_5_6_plus.ttl"],
    title: "falls under the rules of its generation and of what it asks for",
    play: () => [
      cacheRulesOf({}, "gpt-5.5", model()),
      cacheRulesOf({ prompt_cache_retention: "24h" }, "gpt-5.5", model()),
    ],
    expected: [
      { kind: "prefix", tokensStep: 128, idleMs: 300_000 },
      { kind: "prefix", tokensStep: 128, idleMs: 86_400_000 },
    ],
  },
  {
    rules: [
      "openai_5_6_plus.ttl",
      "openai_5_6_plus.implicit",
      "openai_5_6_plus.max_writes_per_request",
      "openai_5_6_plus.match_candidates",
    ],
    title: "falls under the rules of breakpoints from GPT-5.6 on",
    play: () => [
      cacheRulesOf({}, "gpt-5.6", model()),
      cacheRulesOf({ prompt_cache_options: { mode: "explicit" } }, "gpt-5.6", model()),
    ],
    expected: ["implicit", "explicit"].map((mode) => ({
      kind: "breakpoints",
      mode,
      idleMs: 1_800_000,
      writesMax: 4,
      candidatesMax: 80,
    })),
  },
  {
    rules: ["openai_pre_5_6.routing"],
    title: "reads nothing under another cache key",
    play: () =>
      reads(
        openaiSim(),
        ["one", "two", "one"].map((prompt_cache_key) =>
          ask({ instructions: instructions(1_500), prompt_cache_key }),
        ),
      ),
    expected: [0, 0, 1_408],
  },
  ...(
    [
      ["tools", (name) => ({ tools: [{ type: "function", name }] })],
      ["the output schema", format],
      [
        "images",
        (name) => ({ instructions: "", input: [picture(name), { role: "user", content: long.text }] }),
      ],
    ] satisfies readonly (readonly [string, (name: string) => object])[]
  ).map(([what, change]): WireCase => ({
    rules: ["openai_pre_5_6.includes"],
    title: `counts ${what} to the prefix`,
    play: () =>
      reads(
        openaiSim(),
        ["aaaa", "bbbb", "aaaa"].map((name) => ask({ instructions: instructions(1_500), ...change(name) })),
      ).map((read) => Number(read) > 0),
    expected: [false, false, true],
  })),
  {
    rules: ["openai_5_6_plus.usage_fields"],
    title: "reports reads and writes on both wires",
    play: () =>
      (
        [
          ["/v1/responses", responses({ model: "gpt-5.6" }), "input_tokens_details"],
          ["/v1/chat/completions", chat({ model: "gpt-5.6" }), "prompt_tokens_details"],
        ] as const
      ).map(([path, sent, details]) => {
        const answer = JSON.parse(textOf(openaiSim().respond(postTo(path, sent), 0))) as {
          usage: Record<string, Record<string, number>>
        }
        const { cached_tokens: read, cache_write_tokens: write } = answer.usage[details] ?? {}
        return [read, write]
      }),
    expected: [
      [0, 0],
      [0, 0],
    ],
  },
]

/** A request of so many tokens at Gemini, all in one part. */
const geminiText = (tokens: number) =>
  postGemini("/v1beta/models/plain:generateContent", {
    contents: [{ role: "user", parts: [{ text: "g".repeat(tokens * 4 - 'user {"text":""}'.length) }] }],
  })

const geminiMinimum = (cacheTokensMin: number, rule: RuleId): WireCase => ({
  rules: [rule],
  title: `reads from ${cacheTokensMin} tokens on`,
  play: () =>
    [cacheTokensMin - 1, cacheTokensMin].map((tokens) =>
      reads(createProviderSim({ models: { plain: model({ cacheTokensMin }) } }), [
        geminiText(tokens),
        geminiText(tokens),
      ]),
    ),
  expected: [
    [0, 0],
    [0, cacheTokensMin],
  ],
})

const deepseek: ChatDialect = "deepseek"

const otherCases: readonly WireCase[] = [
  geminiMinimum(4_096, "gemini.implicit.min_tokens.3/3.1/3.5 per third party"),
  geminiMinimum(4_096, "gemini.implicit.min_tokens.3 pro|2.5 pro (official table)"),
  geminiMinimum(1_024, "gemini.implicit.min_tokens.3 flash|2.5 flash (official table)"),
  geminiMinimum(2_048, "gemini.implicit.min_tokens.vertex page"),
  {
    rules: ["gemini.implicit.guarantee"],
    title: "answers all the same when nothing is left to read",
    play() {
      const sim = createProviderSim({ models: { plain: model() } })
      return [0, 1, 86_400_000].map((nowMs) => {
        const { status } = sim.respond(geminiText(2_048), nowMs)
        return [status, sim.log.at(-1)?.cache?.read]
      })
    },
    expected: [
      [200, 0],
      [200, 2_048],
      [200, 0],
    ],
  },
  {
    rules: ["deepseek.match", "deepseek.units_at", "deepseek.breakpoints"],
    title: "reads a prompt with its answer, and what prompts have in common in steps of 64 tokens",
    play() {
      const asked = user("x".repeat(900))
      const talks = [[asked], [asked, assistant("z".repeat(200)), user("y")], [user("x".repeat(901))]]
      return reads(
        openaiSim(undefined, deepseek),
        talks.map((messages) => postTo("/chat/completions", chat({ messages }))),
      )
    },
    expected: [0, 256, 192],
  },
]

export const wireCases: readonly WireCase[] = [...anthropicCases, ...openaiCases, ...otherCases]
