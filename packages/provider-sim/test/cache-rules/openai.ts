/** Cases of OpenAI's rules, both generations, on the prefix oracle itself; and oracles that are wrong. */
import { expect } from "vitest"
import type { CachePrompt, CacheRules, PrefixOracle, PromptPart } from "../../src/prefix-cache.ts"
import type { PlantedError, RuleCase, RuleId } from "./rules.ts"

const prefix: CacheRules = { kind: "prefix", tokensStep: 128, idleMs: 300_000 }
const limits = { kind: "breakpoints", idleMs: 1_800_000, writesMax: 4, candidatesMax: 80 } as const
const implicit: CacheRules = { ...limits, mode: "implicit" }
const explicit: CacheRules = { ...limits, mode: "explicit" }

/** A part of so many tokens; another letter is another text. */
export const part = (tokens: number, letter = "a", more: Partial<PromptPart> = {}): PromptPart => ({
  text: letter.repeat(tokens * 4),
  ...more,
})
const end = { endsMessage: true }
const mark = { isMarked: true }

export interface Send {
  readonly parts: readonly PromptPart[]
  readonly nowMs?: number
  readonly rules?: CacheRules
  readonly seed?: string
  /** When the answer begins, after the request. */
  readonly afterMs?: number
}

/** Read and write of each request, sent one after the other. */
type Row = readonly [
  rules: readonly RuleId[],
  title: string,
  sends: readonly Send[],
  expected: readonly (readonly [number, number])[],
]

export function play(oracle: PrefixOracle, sends: readonly Send[]): readonly (readonly [number, number])[] {
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
const forty = Array.from({ length: 40 }, (_, index) => part(10, `${index % 10}`))
const hundred = Array.from({ length: 100 }, (_, index) => part(1_100, `${index % 10}`, mark))

const rows: readonly Row[] = [
  [
    ["openai_pre_5_6.match", "openai_pre_5_6.granularity", "openai_pre_5_6.breakpoints"],
    "reads an identical prompt in steps of 128",
    twice([part(1_500)]),
    [
      [0, 0],
      [1_408, 0],
    ],
  ],
  [
    ["openai_pre_5_6.min_tokens"],
    "reads nothing under 1,024 tokens",
    twice([part(1_023)]),
    [
      [0, 0],
      [0, 0],
    ],
  ],
  [
    ["openai_pre_5_6.min_tokens"],
    "reads from 1,024 tokens on",
    twice([part(1_024)]),
    [
      [0, 0],
      [1_024, 0],
    ],
  ],
  [
    ["openai_pre_5_6.match"],
    "reads the common beginning of two prompts",
    [{ parts: [part(1_300), part(500, "b")] }, { parts: [part(1_300), part(500, "c")], nowMs: 1 }],
    [
      [0, 0],
      [1_280, 0],
    ],
  ],
  [
    ["openai_pre_5_6.match", "openai_pre_5_6.routing"],
    "reads nothing after a change at the front",
    [{ parts: [part(10), part(2_000)] }, { parts: [part(10, "b"), part(2_000)], nowMs: 1 }],
    [
      [0, 0],
      [0, 0],
    ],
  ],
  [
    ["openai_pre_5_6.ttl"],
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
    ["openai_pre_5_6.routing"],
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
    ["openai_pre_5_6.match"],
    "shows an entry once its answer has begun",
    [0, 4, 5].map((nowMs) => ({ parts: [part(2_000)], nowMs, afterMs: 5 })),
    [
      [0, 0],
      [0, 0],
      [1_920, 0],
    ],
  ],
  [
    ["openai_5_6_plus.match", "openai_5_6_plus.implicit"],
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
    ["openai_5_6_plus.match"],
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
    ["openai_5_6_plus.match"],
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
    ["openai_5_6_plus.implicit"],
    "writes nothing without a mark in explicit mode",
    twice([part(2_000, "a", end)], { rules: explicit }),
    [
      [0, 0],
      [0, 0],
    ],
  ],
  [
    ["openai_5_6_plus.implicit", "openai_5_6_plus.max_writes_per_request"],
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
    ["openai_5_6_plus.implicit", "openai_5_6_plus.max_writes_per_request"],
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
    ["openai_5_6_plus.match_candidates"],
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
    ["openai_5_6_plus.min_tokens"],
    "writes nothing under 1,024 tokens at a breakpoint",
    twice([part(1_023, "a", end)], { rules: implicit }),
    [
      [0, 0],
      [0, 0],
    ],
  ],
  [
    ["openai_5_6_plus.ttl"],
    "forgets a breakpoint after thirty minutes without use",
    [0, 1_799_999, 3_599_999].map((nowMs) => ({ parts: [part(2_000, "a", end)], nowMs, rules: implicit })),
    [
      [0, 2_000],
      [2_000, 0],
      [0, 2_000],
    ],
  ],
  [
    ["openai_5_6_plus.lookback_blocks"],
    "reads a breakpoint however many blocks lie behind it",
    [
      { parts: [part(1_500, "a", end)], rules: implicit },
      { parts: [part(1_500, "a", end), ...forty, part(10, "z", end)], nowMs: 1, rules: implicit },
    ],
    [
      [0, 1_500],
      [1_500, 410],
    ],
  ],
  [
    ["openai_5_6_plus.lookback_blocks", "openai_5_6_plus.match_candidates"],
    "reads the breakpoint of the last request over a hundred messages that never had one",
    [
      { parts: [part(1_500, "a", end)], rules: implicit },
      {
        parts: [part(1_500, "a", end), ...Array.from({ length: 100 }, () => part(10, "b", end))],
        nowMs: 1,
        rules: implicit,
      },
    ],
    [
      [0, 1_500],
      [1_500, 1_000],
    ],
  ],
]
export const openaiCases: readonly RuleCase<PrefixOracle>[] = rows.map(([rules, title, sends, expected]) => ({
  rules,
  title,
  play: (make) => play(make(), sends),
  expected,
}))

type Spoil = PlantedError<PrefixOracle>["spoil"]

const misread =
  (change: (prompt: CachePrompt) => Partial<CachePrompt>): Spoil =>
  (right) => ({ ...right, measure: (prompt) => right.measure({ ...prompt, ...change(prompt) }) })

const blind = (parts: readonly PromptPart[]): readonly PromptPart[] =>
  parts.map((one, index) => (index === 0 ? { ...one, text: "a".repeat(one.text.length) } : one))

/** One rule wrong each; a case of that rule has to notice. */
export const openaiPlanted: readonly PlantedError<PrefixOracle>[] = [
  {
    title: "a minimum of one token",
    rule: "openai_pre_5_6.min_tokens",
    spoil: misread(() => ({ tokensMin: 1 })),
  },
  {
    title: "steps of 64 tokens",
    rule: "openai_pre_5_6.granularity",
    spoil: misread(({ rules }) => ({ rules: rules === prefix ? { ...prefix, tokensStep: 64 } : rules })),
  },
  {
    title: "no end of a life",
    rule: "openai_5_6_plus.ttl",
    spoil: (right) => ({
      measure: (prompt) => right.measure({ ...prompt, nowMs: Math.min(prompt.nowMs, 10) }),
      commit: (measure, nowMs, visibleAtMs) => right.commit(measure, Math.min(nowMs, 10), visibleAtMs),
    }),
  },
  { title: "no routing by key", rule: "openai_pre_5_6.routing", spoil: misread(() => ({ seed: "" })) },
  { title: "any prefix at all", rule: "openai_5_6_plus.match", spoil: misread(() => ({ rules: prefix })) },
  {
    title: "an implicit breakpoint in explicit mode",
    rule: "openai_5_6_plus.implicit",
    spoil: misread(({ rules }) => ({ rules: rules === explicit ? implicit : rules })),
  },
  {
    title: "no eye for the front",
    rule: "openai_pre_5_6.match",
    spoil: misread(({ parts }) => ({ parts: blind(parts) })),
  },
  {
    title: "five writes",
    rule: "openai_5_6_plus.max_writes_per_request",
    spoil: misread(({ rules }) => ({
      rules: rules.kind === "breakpoints" ? { ...rules, writesMax: 5 } : rules,
    })),
  },
  {
    title: "every breakpoint tried",
    rule: "openai_5_6_plus.match_candidates",
    spoil: misread(({ rules }) => ({
      rules: rules.kind === "breakpoints" ? { ...rules, candidatesMax: 1_000 } : rules,
    })),
  },
  {
    title: "entries that show at once",
    rule: "openai_pre_5_6.match",
    spoil: (right) => ({ ...right, commit: (measure, nowMs) => right.commit(measure, nowMs, 0) }),
  },
]
