/** Cache oracle of OpenAI: both sets of rules, on the oracle itself and through the wires. */
import { expect, test } from "vitest"
import { createPrefixOracle } from "../../src/prefix-cache.ts"
import type { CachePrompt, CacheRules, PrefixOracle, PromptPart } from "../../src/prefix-cache.ts"
import { chat, openaiSim, postTo, responses } from "./requests.ts"
import type { OpenAiPath } from "./requests.ts"

const prefix: CacheRules = { kind: "prefix", tokensStep: 128, idleMs: 300_000 }
const limits = { kind: "breakpoints", idleMs: 1_800_000, writesMax: 4, candidatesMax: 80 } as const
const implicit: CacheRules = { ...limits, mode: "implicit" }
const explicit: CacheRules = { ...limits, mode: "explicit" }

/** A part of so many tokens; another letter is another text. */
const part = (tokens: number, letter = "a", more: Partial<PromptPart> = {}): PromptPart => ({
  text: letter.repeat(tokens * 4),
  images: 0,
  endsMessage: false,
  isMarked: false,
  ...more,
})
const end = { endsMessage: true }
const mark = { isMarked: true }

interface Send {
  readonly parts: readonly PromptPart[]
  readonly nowMs?: number
  readonly rules?: CacheRules
  readonly seed?: string
  /** When the answer begins, after the request. */
  readonly afterMs?: number
}

/** Read and write of each request, sent one after the other. */
type OracleCase = readonly [
  title: string,
  sends: readonly Send[],
  expected: readonly (readonly [number, number])[],
]

function play(oracle: PrefixOracle, sends: readonly Send[]): readonly (readonly [number, number])[] {
  return sends.map(({ parts, nowMs = 0, rules = prefix, seed = "m", afterMs = 0 }) => {
    const prompt: CachePrompt = { parts, seed, rules, nowMs, tokensMin: 1_024 }
    const measure = oracle.measure(prompt)
    expect(measure.read + measure.write + measure.input).toBe(measure.tokens)
    oracle.commit(measure, nowMs, nowMs + afterMs)
    return [measure.read, measure.write]
  })
}

const twice = (parts: readonly PromptPart[], more: Partial<Send> = {}): readonly Send[] => [
  { parts, ...more },
  { parts, nowMs: 1, ...more },
]
const eleven = Array.from({ length: 11 }, (_, index) => part(1_100, String.fromCharCode(97 + index), mark))
const hundred = Array.from({ length: 100 }, (_, index) => part(1_100, `${index % 10}`, mark))

const cases: readonly OracleCase[] = [
  [
    "reads an identical prompt in steps of 128",
    twice([part(1_500)]),
    [
      [0, 0],
      [1_408, 0],
    ],
  ],
  [
    "reads nothing under 1,024 tokens",
    twice([part(1_023)]),
    [
      [0, 0],
      [0, 0],
    ],
  ],
  [
    "reads from 1,024 tokens on",
    twice([part(1_024)]),
    [
      [0, 0],
      [1_024, 0],
    ],
  ],
  [
    "reads the common beginning of two prompts",
    [{ parts: [part(1_300), part(500, "b")] }, { parts: [part(1_300), part(500, "c")], nowMs: 1 }],
    [
      [0, 0],
      [1_280, 0],
    ],
  ],
  [
    "reads nothing after a change at the front",
    [{ parts: [part(10), part(2_000)] }, { parts: [part(10, "b"), part(2_000)], nowMs: 1 }],
    [
      [0, 0],
      [0, 0],
    ],
  ],
  [
    "forgets after five minutes without use, counted from the last",
    [0, 299_999, 599_998, 899_998].map((nowMs) => ({ parts: [part(2_000)], nowMs })),
    [
      [0, 0],
      [1_920, 0],
      [1_920, 0],
      [0, 0],
    ],
  ],
  [
    "shares nothing between two keys",
    [
      { parts: [part(2_000)], seed: "one" },
      { parts: [part(2_000)], seed: "two", nowMs: 1 },
    ],
    [
      [0, 0],
      [0, 0],
    ],
  ],
  [
    "shows an entry once its answer has begun",
    [0, 4, 5].map((nowMs) => ({ parts: [part(2_000)], nowMs, afterMs: 5 })),
    [
      [0, 0],
      [0, 0],
      [1_920, 0],
    ],
  ],
  [
    "counts an image flat",
    twice([part(10, "a", { images: 1 })]),
    [
      [0, 0],
      [1_536, 0],
    ],
  ],
  [
    "reads exactly at the end of the newest message before",
    [
      { parts: [part(1_500, "a", end)], rules: implicit },
      { parts: [part(1_500, "a", end), part(77, "b"), part(33, "c", end)], nowMs: 1, rules: implicit },
    ],
    [
      [0, 1_500],
      [1_500, 110],
    ],
  ],
  [
    "falls back to no shorter prefix that is unmarked",
    [
      { parts: [part(1_500), part(500, "b", end)], rules: implicit },
      { parts: [part(1_500), part(500, "c", end)], nowMs: 1, rules: implicit },
    ],
    [
      [0, 2_000],
      [0, 2_000],
    ],
  ],
  [
    "reads a shorter prefix that is marked",
    [
      { parts: [part(1_500, "a", mark), part(500, "b", end)], rules: implicit },
      { parts: [part(1_500, "a", mark), part(500, "c", end)], nowMs: 1, rules: implicit },
    ],
    [
      [0, 2_000],
      [1_500, 500],
    ],
  ],
  [
    "writes nothing without a mark in explicit mode",
    twice([part(2_000, "a", end)], { rules: explicit }),
    [
      [0, 0],
      [0, 0],
    ],
  ],
  [
    "writes the latest four marks in explicit mode",
    [
      { parts: eleven, rules: explicit },
      { parts: eleven.slice(0, 8), nowMs: 1, rules: explicit },
      { parts: eleven.slice(0, 4), nowMs: 2, rules: explicit },
    ],
    [
      [0, 12_100],
      [8_800, 0],
      [0, 4_400],
    ],
  ],
  [
    "writes three marks beside the newest message in implicit mode",
    [
      { parts: [...eleven, part(50, "z", end)], rules: implicit },
      { parts: eleven.slice(0, 8), nowMs: 1, rules: implicit },
    ],
    [
      [0, 12_150],
      [0, 8_800],
    ],
  ],
  [
    "tries the latest eighty breakpoints",
    [
      { parts: hundred.slice(0, 20), rules: explicit },
      { parts: hundred, nowMs: 1, rules: explicit },
      { parts: hundred.slice(0, 99), nowMs: 2, rules: explicit },
    ],
    [
      [0, 22_000],
      [0, 110_000],
      [108_900, 0],
    ],
  ],
  [
    "writes nothing under 1,024 tokens at a breakpoint",
    twice([part(1_023, "a", end)], { rules: implicit }),
    [
      [0, 0],
      [0, 0],
    ],
  ],
  [
    "forgets a breakpoint after thirty minutes without use",
    [0, 1_799_999, 3_599_999].map((nowMs) => ({ parts: [part(2_000, "a", end)], nowMs, rules: implicit })),
    [
      [0, 2_000],
      [2_000, 0],
      [0, 2_000],
    ],
  ],
]

test.each(cases)("%s", (_, sends, expected) => {
  expect(play(createPrefixOracle(), sends)).toEqual(expected)
})

/** Oracles with one rule wrong each; the table above must catch every one of them. */
type Spoil = (right: PrefixOracle) => PrefixOracle

const misread =
  (change: (prompt: CachePrompt) => Partial<CachePrompt>): Spoil =>
  (right) => ({ ...right, measure: (prompt) => right.measure({ ...prompt, ...change(prompt) }) })

const blind = (parts: readonly PromptPart[]): readonly PromptPart[] =>
  parts.map((one, index) => (index === 0 ? { ...one, text: "a".repeat(one.text.length) } : one))

const wrong: readonly (readonly [title: string, spoil: Spoil])[] = [
  ["a minimum of one token", misread(() => ({ tokensMin: 1 }))],
  [
    "steps of 64 tokens",
    misread(({ rules }) => ({ rules: rules === prefix ? { ...prefix, tokensStep: 64 } : rules })),
  ],
  [
    "no end of a life",
    (right) => ({
      measure: (prompt) => right.measure({ ...prompt, nowMs: Math.min(prompt.nowMs, 10) }),
      commit: (measure, nowMs, visibleAtMs) => right.commit(measure, Math.min(nowMs, 10), visibleAtMs),
    }),
  ],
  ["no routing by key", misread(() => ({ seed: "" }))],
  ["any prefix at all", misread(() => ({ rules: prefix }))],
  [
    "an implicit breakpoint in explicit mode",
    misread(({ rules }) => ({ rules: rules === explicit ? implicit : rules })),
  ],
  ["no eye for the front", misread(({ parts }) => ({ parts: blind(parts) }))],
  [
    "entries that show at once",
    (right) => ({ ...right, commit: (measure, nowMs) => right.commit(measure, nowMs, 0) }),
  ],
]

test.each(wrong)("the table catches an oracle with %s", (_, spoil) => {
  const caught = cases.filter(
    ([, sends, expected]) =>
      JSON.stringify(play(spoil(createPrefixOracle()), sends)) !== JSON.stringify(expected),
  )
  expect(caught.map(([title]) => title)).not.toEqual([])
})

const long = "rule ".repeat(1_200)
const schema = { type: "object", properties: {}, additionalProperties: false }
const through: readonly (readonly [OpenAiPath, (changes?: object) => object])[] = [
  ["/v1/responses", (changes) => responses({ instructions: long, ...changes })],
  [
    "/v1/chat/completions",
    (changes) =>
      chat({
        messages: [
          { role: "system", content: long },
          { role: "user", content: "Hello" },
        ],
        ...changes,
      }),
  ],
]

test.each(through)("reports on %s what was read, and writes only where they are paid for", (path, body) => {
  const sim = openaiSim()
  const send = (changes: object, nowMs: number) => {
    sim.respond(postTo(path, body(changes)), nowMs)
    return sim.log.at(-1)?.cache
  }
  expect(send({}, 0)).toMatchObject({ read: 0, write: 0 })
  const again = send({}, 1)
  expect(again?.read).toBeGreaterThanOrEqual(1_408)
  expect((again?.read ?? 1) % 128).toBe(0)
  expect(send({ prompt_cache_key: "another" }, 2)?.read).toBe(0)
  expect(send({}, 300_001 + 1)?.read).toBe(0)
  const kept = { prompt_cache_retention: "24h", prompt_cache_key: "kept" }
  send(kept, 0)
  expect(send(kept, 86_399_999)?.read).toBeGreaterThan(0)
  const first = send({ model: "gpt-5.6" }, 0)
  expect(first?.write).toBeGreaterThan(1_408)
  expect(send({ model: "gpt-5.6" }, 1)).toMatchObject({ read: first?.write, write: 0 })
})

test.each(through)("lets tools and the output schema be part of the prefix on %s", (path, body) => {
  const isChat = path === "/v1/chat/completions"
  const tool = (name: string) =>
    isChat ? { type: "function", function: { name } } : { type: "function", name }
  const format = (name: string) =>
    isChat
      ? { response_format: { type: "json_schema", json_schema: { name, schema } } }
      : { text: { format: { type: "json_schema", name, schema } } }
  for (const [before, after] of [
    [{ tools: [tool("a")] }, { tools: [tool("b")] }],
    [format("a"), format("b")],
  ]) {
    const sim = openaiSim()
    sim.respond(postTo(path, body(before)), 0)
    sim.respond(postTo(path, body(after)), 1)
    sim.respond(postTo(path, body(before)), 2)
    expect(sim.log.map((record) => (record.cache?.read ?? 0) > 0)).toEqual([false, false, true])
  }
})

test("counts DeepSeek's hits in units of 64 tokens and Groq's not at all", () => {
  const body = chat({ messages: [{ role: "user", content: "x".repeat(1_000) }] })
  const reads = (dialect: "deepseek" | "groq") => {
    const sim = openaiSim(undefined, dialect)
    for (const nowMs of [0, 1]) sim.respond(postTo("/chat/completions", body), nowMs)
    return sim.log.map((record) => record.cache?.read)
  }
  expect(reads("deepseek")).toEqual([0, 256])
  expect(reads("groq")).toEqual([0, 0])
})
