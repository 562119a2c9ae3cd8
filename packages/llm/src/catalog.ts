/**
 * The embedded catalog: limits, prices and abilities of known models (CA1).
 *
 * It works offline and user configuration wins. A fact that is not certain is left out: a price
 * that is null makes a turn's cost unknown, which is better than wrong.
 */
import type { ModelRef } from "@holdfast/schema/model"
import type { CatalogModel, CatalogOverride } from "./catalog/model.ts"
import { providerDefaults, unknownModel } from "./catalog/providers.ts"
import { rows } from "./catalog/rows.ts"
import { lookUp } from "./json-fields.ts"

export {
  priceFor,
  traitsOf,
  type CatalogModel,
  type CatalogOverride,
  type WireName,
} from "./catalog/model.ts"

/** Facts about a model: the embedded row or the default of its provider, then the user's. */
export function findModel(ref: ModelRef, override: CatalogOverride = {}): CatalogModel {
  const base =
    lookUp(rows, `${ref.provider}/${aliasOf(ref.model)}`) ??
    lookUp(providerDefaults, ref.provider) ??
    defaultOf(override.wire)
  if (Object.keys(override).length === 0) return base
  // A cache of another kind keeps none of the promises.
  const lives = (override.cache ?? base.cache) === base.cache ? {} : { cacheLives: [] }
  return { ...base, ...lives, ...override, source: "configured" }
}

/** Names of the rows, for listings; of one provider, or of all. */
export const catalogModels = (provider?: string): readonly ModelRef[] =>
  Object.keys(rows)
    .map((name) => {
      const slash = name.indexOf("/")
      return { provider: name.slice(0, slash), model: name.slice(slash + 1) }
    })
    .filter((ref) => provider === undefined || ref.provider === provider)

/** documented: a dated id names the same model as its alias. */
const aliasOf = (model: string): string => model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "")

/** A server that nobody here knows, by the wire it is said to speak. */
function defaultOf(wire: CatalogModel["wire"] | undefined): CatalogModel {
  if (wire === undefined || wire === "anthropic-messages") return unknownModel
  const systemRole = wire === "openai-responses"
  return { ...unknownModel, wire, contextTokensMax: 128_000, systemRole, profile: "generic" }
}
