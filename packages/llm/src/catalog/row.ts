/** How a row of the catalog is written: what its provider promises, and what is known beyond. */
import type { Price } from "@holdfast/schema/model"
import type { CatalogModel, CatalogOverride } from "./model.ts"
import { providerDefaults, unknownModel } from "./providers.ts"

export const rowFor =
  (provider: string, source: CatalogModel["source"] = "documented") =>
  (facts: CatalogOverride): CatalogModel => ({
    ...(providerDefaults[provider] ?? unknownModel),
    source,
    ...facts,
  })

/** documented: reading a cached prefix costs a tenth, writing it for five minutes a quarter more, for an hour double. */
export const claude = (input: number, output: number): Pick<CatalogModel, "price" | "cacheWriteByTtl"> => ({
  price: { input, output, cacheRead: input * 0.1, cacheWrite: input * 1.25 },
  cacheWriteByTtl: { "5m": input * 1.25, "1h": input * 2 },
})

/** Writing a cache costs what input costs, unless said. */
export const price = (input: number, output: number, cacheRead = input, cacheWrite = input): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite,
})
