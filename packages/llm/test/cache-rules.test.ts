/**
 * The catalog against what providers publish of their caches: minimums and prices.
 *
 * The figures stand here as literals, by the names that they have in the collected rules of the
 * providers. Those lie beside the repository; where they are, none may be missing here or differ.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { catalogModels, type CatalogModel, findModel, priceFor } from "../src/catalog.ts"

const collected = join(import.meta.dirname, "../../../../shared/data/cache_rules.json")

const claude = "anthropic|bedrock"
/** Nothing but a date or a region may stand around the names of a rule. */
const named = (...names: readonly string[]) =>
  new RegExp(
    `^(?:${claude})/(?:[a-z]+\\.anthropic\\.)?claude-(?:${names.join("|")})(?:-\\d{8})?(?:-v1(?::0)?)?$`,
  )
const gemini = (...names: readonly string[]) =>
  new RegExp(`^google/gemini-(?:${names.join("|")})(?:-preview)?$`)
const before56 = /^openai\/(?!gpt-5\.6|gpt-6)/
const since56 = /^openai\/gpt-(?:5\.6|6)/

/** The shortest prefix, the rows it holds for, and how many of those there are at least. */
const minimums: Readonly<Record<string, readonly [tokens: number, rows: RegExp, rowsMin: number]>> = {
  "anthropic.min_tokens.opus-5|fable-5.1|mythos-5.1": [512, named("opus-5", "fable-5-1", "mythos-5-1"), 3],
  "anthropic.min_tokens.opus-4.8|sonnet-5|sonnet-4.6|sonnet-4.5|opus-4.1|opus-4|sonnet-4": [
    1_024,
    named("opus-4-8", "sonnet-5", "sonnet-4-6", "sonnet-4-5", "opus-4-1", "opus-4", "sonnet-4"),
    7,
  ],
  "anthropic.min_tokens.opus-4.7|mythos-preview|haiku-3.5": [
    2_048,
    named("opus-4-7", "mythos-preview", "3-5-haiku"),
    2,
  ],
  "anthropic.min_tokens.opus-4.6|opus-4.5|haiku-4.5": [4_096, named("opus-4-6", "opus-4-5", "haiku-4-5"), 3],
  "openai_pre_5_6.min_tokens": [1_024, before56, 9],
  "openai_5_6_plus.min_tokens": [1_024, since56, 4],
  // The table of the Gemini API comes before what others say of newer models; a lite model is in neither.
  "gemini.implicit.min_tokens.3/3.1/3.5 per third party": [4_096, gemini("3\\.1-.*", "3\\.5-.*"), 2],
  "gemini.implicit.min_tokens.3 pro|2.5 pro (official table)": [4_096, gemini("3-pro", "2\\.5-pro"), 2],
  "gemini.implicit.min_tokens.3 flash|2.5 flash (official table)": [
    1_024,
    gemini("3-flash", "2\\.5-flash"),
    2,
  ],
  // No row is one of Vertex.
  "gemini.implicit.min_tokens.vertex page": [2_048, /^vertex\//, 0],
}

type Share = (facts: CatalogModel) => number | undefined
const write =
  (ttl: string): Share =>
  (facts) =>
    shareOf(facts, priceFor(facts, ttl)?.cacheWrite)
const read: Share = (facts) => shareOf(facts, facts.price?.cacheRead)
const shareOf = ({ price }: CatalogModel, part: number | undefined) =>
  price === null || part === undefined ? undefined : part / price.input

/** What it costs by what input costs, from the least to the most, on the rows that have a price. */
const shares: Readonly<
  Record<string, readonly [least: number, most: number, share: Share, rows: RegExp, rowsMin: number]>
> = {
  "anthropic.write_mult.5m": [1.25, 1.25, write("5m"), /claude/, 20],
  "anthropic.write_mult.1h": [2, 2, write("1h"), /claude/, 20],
  "anthropic.read_mult": [0.1, 0.1, read, /claude/, 20],
  "openai_pre_5_6.write_mult": [1, 1, write("5m"), before56, 8],
  "openai_pre_5_6.read_mult": [0.1, 0.5, read, before56, 8],
  "openai_5_6_plus.write_mult": [1.25, 1.25, write("30m"), since56, 2],
  "gemini.implicit.read_mult": [0.1, 0.1, read, gemini(".*"), 8],
  "gemini.implicit.write_mult": [1, 1, write("5m"), gemini(".*"), 8],
  "gemini.explicit.read_mult.2.5+": [0.1, 0.1, read, gemini("2\\.5.*", "3.*"), 8],
  "gemini.explicit.read_mult.2.0": [0.25, 0.25, read, gemini("2\\.0.*"), 0],
  "deepseek.write_mult": [1, 1, write("5m"), /^deepseek\//, 2],
  "deepseek.read_mult.flash": [0.02, 0.02, read, /^deepseek\/.*flash/, 1],
  "deepseek.read_mult.v4-pro": [0.033, 0.033, read, /^deepseek\/.*v4-pro/, 1],
}

const rows = catalogModels().map((ref) => [`${ref.provider}/${ref.model}`, findModel(ref)] as const)
const rowsOf = (pattern: RegExp) => rows.filter(([name]) => pattern.test(name))

describe("the catalog", () => {
  test.each(Object.entries(minimums))("[CA1] has the minimum of %s", (_, [tokens, pattern, rowsMin]) => {
    const found = rowsOf(pattern).map(([name, facts]) => [name, facts.cacheTokensMin])
    expect(found).toEqual(found.map(([name]) => [name, tokens]))
    expect(found.length).toBeGreaterThanOrEqual(rowsMin)
  })

  test("[CA1] has no row of Anthropic, OpenAI or Google whose minimum nobody publishes, but two", () => {
    const patterns = Object.values(minimums).map(([, pattern]) => pattern)
    const rest = rows.filter(
      ([name]) => /claude|^openai|^google/.test(name) && !patterns.some((one) => one.test(name)),
    )
    // The cautious figure: the largest that the provider has.
    expect(rest.map(([name, facts]) => [name, facts.cacheTokensMin])).toEqual([
      ["google/gemini-3.8-flash", 4_096],
      ["google/gemini-2.5-flash-lite", 4_096],
    ])
  })

  test.each(Object.entries(shares))(
    "[CA1] has the price of %s",
    (_, [least, most, share, pattern, rowsMin]) => {
      const priced = rowsOf(pattern).flatMap(([name, facts]) => {
        const found = share(facts)
        return found === undefined ? [] : [[name, Math.round(found * 1_000) / 1_000] as const]
      })
      expect(priced.filter(([, found]) => found < least || found > most)).toEqual([])
      expect(priced.length).toBeGreaterThanOrEqual(rowsMin)
    },
  )

  test.each([
    ["anthropic", "claude-opus-5", ["5m", "1h"]],
    ["bedrock", "eu.anthropic.claude-opus-4-6-v1", ["5m", "1h"]],
    ["bedrock", "us.amazon.nova-micro-v1:0", ["5m"]],
    ["openai", "gpt-5.6-sol", ["30m"]],
    ["openai", "gpt-5.5", ["24h"]],
    ["openai", "gpt-5.4", ["5m", "24h"]],
    ["openai", "gpt-4o-mini", ["5m"]],
    ["google", "gemini-2.5-pro", []],
    ["nobody", "x", []],
  ])("[CA1] knows how long a prefix of %s/%s lives", (provider, model, lives) =>
    expect(findModel({ provider, model }).cacheLives).toEqual(lives),
  )

  test("[CA1] promises nothing of a cache that was configured to be of another kind", () => {
    const ref = { provider: "anthropic", model: "claude-opus-4-6" }
    expect(findModel(ref, { cache: "automatic" }).cacheLives).toEqual([])
    expect(findModel(ref, { cache: "markers" }).cacheLives).toEqual(["5m", "1h"])
  })
})

/** Every figure of a document, by its path; a text that begins with a span of figures is one too. */
function figuresOf(value: unknown, path: readonly string[] = []): readonly (readonly [string, string])[] {
  if (typeof value !== "object" || value === null) return [[path.join("."), String(value)]]
  return Object.entries(value).flatMap(([key, item]) => figuresOf(item, [...path, key]))
}

if (existsSync(collected)) {
  const all = figuresOf(JSON.parse(readFileSync(collected, "utf8")))

  test("[CA1] the collected rules say the minimums that the rows are compared with", () => {
    const found = all.filter(([name]) => name.includes("min_tokens"))
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(minimums).map(([name, [tokens]]) => [name, String(tokens)])),
    )
  })

  test("[CA1] the collected rules say the shares of prices that the rows are compared with", () => {
    const found = all.filter(([name]) => /_mult(\.|$)/.test(name))
    const spans = found.map(([name, text]) => [name, text.replace(/ by model.*/, "")])
    expect(Object.fromEntries(spans)).toEqual(
      Object.fromEntries(
        Object.entries(shares).map(([name, [least, most]]) => [
          name,
          least === most ? String(least) : `${least} to ${most}`,
        ]),
      ),
    )
  })
} else {
  console.log("the catalog's cache rules: not compared, ../shared/data/cache_rules.json is not there")
}
