/** What tokens cost, from the catalog and by the same sum as the ledger (TU7, CA1). */
import { type CatalogModel, findModel, priceFor } from "@holdfast/llm"
import { costOf } from "@holdfast/schema/model"
import type { UsageTokens } from "../record.ts"
import { promptTokens } from "./collect.ts"

/** Dollars of one request, divided as its tokens are. */
export interface Cost {
  /** As if no cache existed. */
  readonly list: number
  readonly input: number
  readonly output: number
  /** Of a token: read from the cache, at list, and what those were charged that were not read. */
  readonly readRate: number
  readonly listRate: number
  readonly freshRate: number
}

export class Prices {
  readonly #models = new Map<string, CatalogModel>()

  factsOf(provider: string, model: string): CatalogModel {
    const name = `${provider}/${model}`
    const known = this.#models.get(name)
    if (known !== undefined) return known
    // Claude Code marks its longer window in the name of the model.
    const facts = findModel({ provider, model: model.replace(/\[1m\]$/, "") })
    this.#models.set(name, facts)
    return facts
  }

  /** Null where the price is not known: of the model, or of a prompt beyond the window that the price is for. */
  costOf(provider: string, model: string, tokens: UsageTokens): Cost | null {
    const facts = this.factsOf(provider, model)
    const prompt = promptTokens(tokens)
    if (facts.price === null || prompt + tokens.output > facts.contextTokensMax) return null
    const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    const dollars = (usage: Partial<typeof none>, life = "5m") =>
      costOf({ ...none, ...usage }, priceFor(facts, life)) ?? 0
    const fresh =
      dollars({ input: tokens.input, cacheWrite: tokens.cacheWrite5m }) +
      dollars({ cacheWrite: tokens.cacheWrite1h }, "1h")
    const notRead = prompt - tokens.cacheRead
    const listRate = dollars({ input: 1 })
    return {
      list: dollars({ input: prompt }),
      input: dollars({ cacheRead: tokens.cacheRead }) + fresh,
      output: dollars({ output: tokens.output }),
      readRate: dollars({ cacheRead: 1 }),
      listRate,
      freshRate: notRead === 0 ? listRate : fresh / notRead,
    }
  }

  /** Dollars for a token that is written to live that long. */
  writeRate(facts: CatalogModel, life: string): number {
    return costOf({ input: 0, output: 0, cacheRead: 0, cacheWrite: 1 }, priceFor(facts, life)) ?? 0
  }
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `5m`, `1h`, `24h` in milliseconds; what is none of these lives for five minutes. */
export function lifeMs(life: string): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(life) ?? []
  return Number(count ?? 5) * (units[unit ?? "m"] ?? 60_000)
}
