/**
 * Rows of Gemini models. Prefixes are cached by themselves, at no price for writing them and without
 * a promise of how long; the shortest prefix is that of the table of the Gemini API where it names the
 * model, and otherwise the largest of that table.
 */
import type { CatalogModel, CatalogOverride } from "./model.ts"
import { price, rowFor } from "./row.ts"

const google = (facts: CatalogOverride): CatalogModel =>
  rowFor("google")({ outputTokensMax: 65_536, reasoning: "effort", ...facts })
/** documented: a longer prompt costs more. */
const firstTier = 200_000

export const googleRows: Readonly<Record<string, CatalogModel>> = {
  // The price from 2027 on; it is half of that until then.
  "google/gemini-3.8-flash": google({ price: price(1.5, 7.5, 0.15) }),
  "google/gemini-3.5-flash": google({ price: price(1.5, 9, 0.15) }),
  "google/gemini-3.1-pro-preview": google({ contextTokensMax: firstTier, price: price(2, 12, 0.2) }),
  "google/gemini-3-pro-preview": google({ contextTokensMax: firstTier, price: price(2, 12, 0.2) }),
  "google/gemini-3-flash-preview": google({ price: price(0.5, 3, 0.05), cacheTokensMin: 1_024 }),
  "google/gemini-2.5-pro": google({
    contextTokensMax: firstTier,
    reasoning: "budget",
    price: price(1.25, 10, 0.125),
  }),
  "google/gemini-2.5-flash": google({
    reasoning: "budget",
    price: price(0.3, 2.5, 0.03),
    cacheTokensMin: 1_024,
  }),
  "google/gemini-2.5-flash-lite": google({ reasoning: "budget", price: price(0.1, 0.4, 0.01) }),
}
