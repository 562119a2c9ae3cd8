/**
 * Prompt-cache rules: each has a case whose expectation comes from the rule, and a planted error is
 * noticed by a case of the rule it breaks. The collected rules of the providers lie beside the
 * repository; where they are absent, our list of them stands for itself.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createCacheOracle } from "../../src/index.ts"
import { createPrefixOracle } from "../../src/prefix-cache.ts"
import { anthropicCases } from "./anthropic.ts"
import { anthropicPlanted } from "./anthropic-planted.ts"
import { bedrockCases } from "./bedrock.ts"
import { deepseekCases, deepseekPlanted } from "./deepseek.ts"
import { openaiCases, openaiPlanted } from "./openai.ts"
import { figures, notModelled, numbers, priced, rules } from "./rules.ts"
import type { PlantedError, RuleCase } from "./rules.ts"
import { wireCases } from "./wires.ts"

const onPrefixes = [...openaiCases, ...deepseekCases]
const throughWires = [...wireCases, ...bedrockCases]

const collected = join(import.meta.dirname, "../../../../../shared/data/cache_rules.json")

describe("a rule", () => {
  test.each(anthropicCases)("$rules: $title", ({ play, expected }) =>
    expect(play(createCacheOracle)).toEqual(expected),
  )
  test.each(onPrefixes)("$rules: $title", ({ play, expected }) =>
    expect(play(createPrefixOracle)).toEqual(expected),
  )
  test.each(throughWires)("$rules: $title", ({ play, expected }) =>
    expect(play(() => expect.unreachable("a wire makes its own oracle"))).toEqual(expected),
  )

  test("has a case, is one of prices, or has a reason why it has no case", () => {
    const cased = new Set([...anthropicCases, ...onPrefixes, ...throughWires].flatMap((one) => one.rules))
    // Sorted lists, not sets: no rule may stand in two of them.
    expect([...cased, ...priced, ...Object.keys(notModelled)].sort()).toEqual(Object.keys(rules).sort())
    expect(priced).toEqual(Object.keys(rules).filter((rule) => rule.includes("_mult")))
  })
})

/** The cases of the broken rule that hold for the right oracle and not for the wrong one. */
function noticing<Oracle>(
  cases: readonly RuleCase<Oracle>[],
  { rule, spoil }: PlantedError<Oracle>,
  make: () => Oracle,
): readonly string[] {
  const holds = ({ play, expected }: RuleCase<Oracle>, open: () => Oracle) =>
    JSON.stringify(play(open)) === JSON.stringify(expected)
  return cases
    .filter((one) => one.rules.includes(rule))
    .filter((one) => holds(one, make) && !holds(one, () => spoil(make())))
    .map(({ title }) => title)
}

describe("a planted error is noticed by a case of its rule", () => {
  test.each(anthropicPlanted)("$title breaks $rule", (error) =>
    expect(noticing(anthropicCases, error, createCacheOracle)).not.toEqual([]),
  )
  test.each([...openaiPlanted, ...deepseekPlanted])("$title breaks $rule", (error) =>
    expect(noticing(onPrefixes, error, createPrefixOracle)).not.toEqual([]),
  )
})

/** All values of a document that are no objects, by name. */
function leavesOf(value: unknown, path: readonly string[] = []): readonly (readonly [string, unknown])[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path.join("."), value]]
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]))
}

if (existsSync(collected)) {
  const leaves = leavesOf(JSON.parse(readFileSync(collected, "utf8")))
  const isFigure = (name: string) => figures.some((figure) => name.split(".")[0] === figure)
  const found = leaves.filter(([name]) => !isFigure(name))

  test("no rule that was collected from the providers is missing", () =>
    expect(Object.keys(rules).sort()).toEqual(found.map(([name]) => name).sort()))

  test("the collected rules say the numbers that the cases are written with", () => {
    const isCased = (name: string) => !(name in notModelled) && !priced.some((rule) => rule === name)
    const cased = found.filter(([name, value]) => typeof value === "number" && isCased(name))
    expect(numbers).toEqual(Object.fromEntries(cased))
  })
} else {
  console.log("cache rules: not compared, ../shared/data/cache_rules.json is not there")
}
