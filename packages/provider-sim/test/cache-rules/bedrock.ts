/** Cases of Bedrock's rules, through the wire: Claude behind cache points, and Nova with its own bounds. */
import { createProviderSim } from "../../src/index.ts"
import type { SimRequest } from "../../src/index.ts"
import { postTo } from "../openai/requests.ts"
import { textOf } from "../requests.ts"
import type { RuleCase, RuleId } from "./rules.ts"
import { model, reads } from "./wires.ts"

const claude = "plain"
const nova = "us.amazon.nova-micro-v1:0"
const open = () => createProviderSim({ models: { [claude]: model(), [nova]: model() } })

const post = (name: string, body: object) => postTo(`/model/${encodeURIComponent(name)}/converse`, body)
const said = (name: string, content: readonly object[], more: object = {}) =>
  post(name, { messages: [{ role: "user", content }], ...more })
const point = (ttl?: "5m" | "1h") => ({ cachePoint: { type: "default", ...(ttl && { ttl }) } })
const words = { text: "rule ".repeat(1_200) }
const many = (count: number) => Array.from({ length: count }, () => ({ text: "x" }))
const marked = (count: number, ttl?: "5m" | "1h") => many(count).flatMap((text) => [text, point(ttl)])

/** A block of exactly so many tokens in what the user says. */
const sized = (tokens: number, letter = "n") => ({
  text: letter.repeat(tokens * 4 - 'user {"text":"","type":"text"}'.length),
})

/** What is read at each of the times. */
function readsAt(name: string, ttl: "5m" | "1h" | undefined, times: readonly number[]): readonly boolean[] {
  const sim = open()
  return times.map((nowMs) => {
    sim.respond(said(name, [words, point(ttl)]), nowMs)
    return (sim.log.at(-1)?.cache?.read ?? 0) > 0
  })
}

const tool = { toolSpec: { name: "t", inputSchema: { json: { type: "object" } } } }
const toolConfig = { tools: [tool] }
/** A call, and its result with so much behind it. */
const answered = (...behind: readonly object[]) => [
  { role: "user", content: [words, point()] },
  { role: "assistant", content: [{ toolUse: { toolUseId: "c", name: "t", input: {} } }] },
  { role: "user", content: [{ toolResult: { toolUseId: "c", content: [{ text: "x" }] } }, ...behind] },
]

/** What is said against a request of each model; nothing, where it is taken. */
function refusals(request: (name: string) => SimRequest): readonly string[] {
  return [claude, nova].map((name) => {
    const response = open().respond(request(name), 0)
    if (response.status === 200) return ""
    const { message } = JSON.parse(textOf(response)) as { message: string }
    return message.replace("The model returned the following errors: ", "")
  })
}

const extraneous = (path: string, key = "cachePoint") =>
  `Malformed input request: #/${path}: extraneous key [${key}] is not permitted, please reformat your input and try again.`

type Taken = readonly [
  rule: RuleId,
  title: string,
  request: (name: string) => SimRequest,
  claude: string,
  nova: string,
]

const takenCases: readonly Taken[] = [
  [
    "bedrock.nova.mode",
    "takes a cache point in the system",
    (name) => said(name, [words], { system: [words, point()] }),
    "",
    "",
  ],
  [
    "bedrock.nova.mode",
    "takes a cache point behind a text",
    (name) => said(name, [words, point("5m")]),
    "",
    "",
  ],
  [
    "bedrock.nova.mode",
    "refuses a cache point among the tools of Nova",
    (name) => said(name, [words], { toolConfig: { tools: [tool, point()] } }),
    "",
    extraneous("toolConfig/tools/1"),
  ],
  [
    "bedrock.nova.mode",
    "refuses a cache point right behind a result for Nova",
    (name) => post(name, { messages: answered(point()), toolConfig }),
    "",
    extraneous("messages/2/content/0"),
  ],
  [
    "bedrock.nova.mode",
    "takes a cache point behind a text that follows a result",
    (name) => post(name, { messages: answered({ text: "Go on." }, point()), toolConfig }),
    "",
    "",
  ],
  [
    "bedrock.nova.ttl_s",
    "refuses a life of an hour for Nova",
    (name) => said(name, [words, point("1h")]),
    "",
    extraneous("messages/0/content/1/cachePoint", "ttl"),
  ],
  ["bedrock.nova.limits", "takes four cache points", (name) => said(name, marked(4)), "", ""],
  [
    "bedrock.nova.limits",
    "refuses five cache points",
    (name) => said(name, marked(5)),
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    "Malformed input request: a maximum of 4 cache points may be provided, found 5.",
  ],
]

const novaCases: readonly RuleCase<never>[] = [
  ...takenCases.map(([rule, title, request, ...expected]) => ({
    rules: [rule],
    title,
    play: () => refusals(request),
    expected,
  })),
  {
    rules: ["bedrock.nova.mode"],
    title: "reports nothing of what Nova caches by itself",
    play() {
      const sim = open()
      return [0, 1].map((nowMs) => {
        const answer = textOf(sim.respond(said(nova, [words]), nowMs))
        return [sim.log.at(-1)?.cache?.read, answer.includes("cacheReadInputTokens")]
      })
    },
    expected: [
      [0, false],
      [0, false],
    ],
  },
  {
    rules: ["bedrock.nova.mode"],
    title: "reads at the cache points of the request, and looks back from none",
    play: () =>
      [nova, claude].map((name) =>
        reads(open(), [
          said(name, [sized(2_000), point()]),
          said(name, [sized(2_000), sized(50), point()]),
          said(name, [sized(2_000), point(), sized(60), point()]),
        ]),
      ),
    expected: [
      [0, 0, 2_000],
      [0, 2_000, 2_000],
    ],
  },
  {
    rules: ["bedrock.nova.ttl_s"],
    title: "forgets what Nova has cached after 300 seconds without a read",
    play: () => [readsAt(nova, undefined, [0, 299_999, 599_998]), readsAt(nova, undefined, [0, 300_000])],
    expected: [
      [false, true, true],
      [false, false],
    ],
  },
  {
    rules: ["bedrock.nova.limits"],
    title: "caches from 1,024 tokens on and up to 20,000",
    play: () =>
      [1_023, 1_024, 20_000, 20_001].map((tokens) => {
        const request = said(nova, [sized(tokens), point()])
        return reads(open(), [request, request])
      }),
    expected: [
      [0, 0],
      [0, 1_024],
      [0, 20_000],
      [0, 0],
    ],
  },
  {
    rules: ["bedrock.nova.limits"],
    title: "keeps the shorter prefix where the longer one is too long",
    play() {
      const request = (letter: string) => said(nova, [sized(2_000), point(), sized(19_000, letter), point()])
      return reads(open(), [request("a"), request("b")])
    },
    expected: [0, 2_000],
  },
]

const claudeCases: readonly RuleCase<never>[] = [
  {
    rules: ["bedrock.claude"],
    title: "takes four cache points and reads at them, looking back twenty blocks",
    play() {
      const sim = open()
      const near = [said(claude, [words, point()]), said(claude, [words, ...many(19), point()])]
      const far = said(claude, [words, ...many(40), point()])
      const four = [words, ...marked(4, "1h")]
      const seen = reads(sim, [...near, far]).map((read) => Number(read) > 0)
      return [
        ...seen,
        ...reads(sim, [said(claude, [...four, { text: "y" }, point("1h")])]),
        sim.respond(said(claude, four), 9).status,
      ]
    },
    expected: [false, true, false, "refused: 400", 200],
  },
  {
    rules: ["bedrock.claude"],
    title: "keeps an entry for the life that the cache point asks for",
    play: () => (["5m", "1h"] as const).map((ttl) => readsAt(claude, ttl, [0, 299_999, 700_000])),
    expected: [
      [false, true, false],
      [false, true, true],
    ],
  },
  {
    rules: ["bedrock.claude"],
    title: "takes both lives in one request, the long one first",
    play: () =>
      [
        [words, point("1h"), words, point()],
        [words, point(), words, point("1h")],
      ].map((content) =>
        refusals((name) => said(name, content))[0]
          ?.split(".", 4)
          .join("."),
      ),
    expected: ["", "messages.0.content.3"],
  },
  {
    rules: ["bedrock.claude"],
    title: "keeps the system under another tool choice and under other thinking",
    play() {
      const ask = (choice: string, fields: object) =>
        said(claude, [words, point()], {
          system: [words, point()],
          toolConfig: { ...toolConfig, toolChoice: { [choice]: {} } },
          additionalModelRequestFields: fields,
        })
      const [, same, chosen, thinking] = reads(open(), [
        ask("auto", {}),
        ask("auto", {}),
        ask("any", {}),
        ask("auto", { thinking: { type: "adaptive" } }),
      ]).map(Number)
      return [Number(chosen) > 0, Number(chosen) < Number(same), chosen === thinking]
    },
    expected: [true, true, true],
  },
]

export const bedrockCases: readonly RuleCase<never>[] = [...claudeCases, ...novaCases]
