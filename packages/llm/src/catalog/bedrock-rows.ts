/**
 * Rows of models behind Amazon Bedrock, by the ids that requests can name: most are served only by an
 * inference profile, whose id has the area in front. Prices are those of the areas that are listed;
 * an id that is not gets the cautious defaults of its provider.
 */
import type { CatalogModel, CatalogOverride } from "./model.ts"
import { claude, price, rowFor } from "./row.ts"

type Area = "global" | "us" | "eu" | "jp" | "au"

/** documented: an area of its own costs a tenth more than the whole world. */
const dollarsIn = (area: Area, dollars: number): number =>
  area === "global" ? dollars : Math.round(dollars * 110) / 100

const claudeRows = (
  id: string,
  areas: readonly Area[],
  [input, output]: readonly [input: number, output: number],
  facts: CatalogOverride = {},
  source: CatalogModel["source"] = "documented",
): Readonly<Record<string, CatalogModel>> =>
  Object.fromEntries(
    areas.map((area) => [
      `bedrock/${area}.anthropic.${id}`,
      rowFor(
        "bedrock",
        source,
      )({
        outputTokensMax: 64_000,
        images: true,
        reasoning: "budget",
        cache: "markers",
        cacheLives: ["5m", "1h"],
        ...claude(dollarsIn(area, input), dollarsIn(area, output)),
        ...facts,
      }),
    ]),
  )

/** In the United States; `markers` stand behind text only, and 1K tokens must stand before them. */
const novaRows = (id: string, facts: CatalogOverride): Readonly<Record<string, CatalogModel>> => {
  const row = rowFor("bedrock")({ outputTokensMax: 8_192, cache: "markers", cacheLives: ["5m"], ...facts })
  return { [`bedrock/us.amazon.${id}`]: row, [`bedrock/amazon.${id}`]: row }
}

/** documented: their shortest prefix. */
const longer = { cacheTokensMin: 4_096 } as const

export const bedrockRows: Readonly<Record<string, CatalogModel>> = {
  ...claudeRows("claude-sonnet-4-6", ["global", "us", "eu", "jp"], [3, 15]),
  ...claudeRows("claude-sonnet-4-5-20250929-v1:0", ["global", "us", "eu", "jp", "au"], [3, 15]),
  ...claudeRows("claude-haiku-4-5-20251001-v1:0", ["global", "us", "eu", "au"], [1, 5], longer),
  ...claudeRows("claude-opus-4-6-v1", ["global", "us", "eu"], [5, 25], {
    ...longer,
    outputTokensMax: 128_000,
  }),
  ...claudeRows("claude-opus-4-5-20251101-v1:0", ["global", "us", "eu"], [5, 25], longer),
  // That they are served by Converse too is assumed: the maker documents another address for them.
  ...claudeRows(
    "claude-opus-4-8",
    ["global", "us", "eu", "jp", "au"],
    [5, 25],
    { contextTokensMax: 1_000_000, outputTokensMax: 128_000, reasoning: "adaptive" },
    "assumed",
  ),
  ...novaRows("nova-pro-v1:0", { contextTokensMax: 300_000, images: true, price: price(0.8, 3.2, 0.2) }),
  ...novaRows("nova-lite-v1:0", { contextTokensMax: 300_000, images: true, price: price(0.06, 0.24, 0.015) }),
  ...novaRows("nova-micro-v1:0", { contextTokensMax: 128_000, price: price(0.035, 0.14, 0.00875) }),
}
