/** Cases of DeepSeek's rules on the prefix oracle itself, and an oracle that is wrong about them. */
import type { CacheRules, PrefixOracle } from "../../src/prefix-cache.ts"
import { part, play } from "./openai.ts"
import type { Send } from "./openai.ts"
import type { PlantedError, RuleCase, RuleId } from "./rules.ts"

const units: CacheRules = { kind: "units", tokensStep: 64, tokensInterval: 4_096, idleMs: 7_200_000 }
const answer = { isAnswer: true }

/** A beginning, and what is asked about it. */
const about = (tokens: number, letter: string) => [part(tokens), part(100, letter)]

type Row = readonly [
  rules: readonly RuleId[],
  title: string,
  prompts: readonly Send["parts"][],
  reads: readonly number[],
]

const rows: readonly Row[] = [
  [
    ["deepseek.units_at", "deepseek.match", "deepseek.breakpoints"],
    "reads an earlier prompt to the end of what the user said",
    [about(2_000, "b"), about(2_000, "b"), [...about(2_000, "b"), part(50, "c")]],
    [0, 2_048, 2_048],
  ],
  [
    ["deepseek.units_at"],
    "reads an earlier prompt and its answer to the end of what the model said",
    [about(2_000, "b"), [...about(2_000, "b"), part(70, "m", answer), part(30, "n", answer), part(50, "c")]],
    [0, 2_176],
  ],
  [
    ["deepseek.units_at", "deepseek.match"],
    "reads nothing of an answer to a prompt that was another",
    [about(2_000, "b"), [part(2_000), part(100, "c"), part(70, "m", answer), part(50, "d")]],
    [0, 0],
  ],
  [
    ["deepseek.units_at", "deepseek.match"],
    "reads what two prompts had in common from the third on",
    [about(2_000, "b"), about(2_000, "c"), about(2_000, "d")],
    [0, 0, 1_984],
  ],
  [
    ["deepseek.units_at", "deepseek.match"],
    "reads a long common beginning at once, to the last fixed interval in it",
    [about(9_000, "b"), about(9_000, "c"), about(9_000, "d")],
    [0, 8_192, 8_960],
  ],
  [
    ["deepseek.match"],
    "reads nothing after a change at the front",
    [about(9_000, "b"), [part(10, "z"), ...about(9_000, "b")]],
    [0, 0],
  ],
]

export const deepseekCases: readonly RuleCase<PrefixOracle>[] = rows.map(
  ([rules, title, prompts, expected]) => ({
    rules,
    title,
    play: (make) =>
      play(
        make(),
        prompts.map((parts, nowMs) => ({ parts, nowMs, rules: units })),
      ).map(([read]) => read),
    expected,
  }),
)

const misread =
  (rules: CacheRules): PlantedError<PrefixOracle>["spoil"] =>
  (right) => ({
    ...right,
    measure: (prompt) => right.measure({ ...prompt, rules }),
  })

export const deepseekPlanted: readonly PlantedError<PrefixOracle>[] = [
  {
    title: "whatever is common, at once",
    rule: "deepseek.units_at",
    spoil: misread({ kind: "prefix", tokensStep: 64, idleMs: 7_200_000 }),
  },
  {
    title: "no interval",
    rule: "deepseek.units_at",
    spoil: misread({ ...units, tokensInterval: 1_000_000 }),
  },
  {
    title: "no end of an answer",
    rule: "deepseek.units_at",
    spoil: (right) => ({
      ...right,
      measure: (prompt) =>
        right.measure({ ...prompt, parts: prompt.parts.map((one) => ({ ...one, isAnswer: false })) }),
    }),
  },
]
