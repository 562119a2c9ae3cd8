/** Models that can be used, and the catalog behind them; nothing is opened and no provider is asked. */
import { Effect } from "effect"
import {
  type CatalogRefresh,
  catalogUrlDefault,
  type ListedModel as ConfiguredModel,
  type ListedProvider as ConfiguredProvider,
  listModels,
  loadCatalog,
  type ModelListing as Configured,
  refreshCatalog,
} from "@holdfast/core/config/index"
import { factsOf } from "@holdfast/core/config/model-name"
import { dataDirectoryOf } from "./directories.ts"
import { settingsOf } from "./embedded/open.ts"
import type { HoldfastOptions } from "./holdfast.ts"

export interface ListModelsOptions extends Pick<HoldfastOptions, "dataDir" | "configDir" | "environment"> {
  /** One provider, also if it is not configured; all that are unless given. */
  readonly provider?: string
}

/** How the provider caches the prefix of a request to a model. */
export interface ListedCache {
  /** What makes it cache: our markers, breakpoints beside its own, or nothing; or it is not known. */
  readonly written: "markers" | "breakpoints" | "automatic" | "unknown"
  /** A shorter prefix is not cached; null where nothing is known. */
  readonly tokensMin: number | null
  /** How long it can live without use, such as `5m`; none where nothing is promised. */
  readonly lives: readonly string[]
}

export interface ListedModel extends ConfiguredModel {
  readonly cache: ListedCache
}

export interface ListedProvider extends ConfiguredProvider {
  readonly models: readonly ListedModel[]
}

export interface ModelListing extends Configured {
  readonly providers: readonly ListedProvider[]
}

export async function listConfiguredModels(options: ListModelsOptions = {}): Promise<ModelListing> {
  const { environment = process.env, provider } = options
  const settings = await Effect.runPromise(settingsOf(options))
  const catalog = await Effect.runPromise(loadCatalog(dataDirectoryOf(options)))
  const listing = await Effect.runPromise(
    listModels({ settings, environment, catalog, ...(provider !== undefined && { provider }) }),
  )
  const withCache = ({ name, ...listed }: ConfiguredProvider): ListedProvider => {
    // One that is not configured has nothing but its wire, which the listing has from the catalog.
    const wire = listed.wire as Facts["wire"]
    const given = settings.providers.get(name) ?? { wire, models: new Map<string, never>() }
    const models = listed.models.map((model) => ({
      ...model,
      cache: cacheOf(factsOf(name, given, model.model, catalog)),
    }))
    return { ...listed, name, models }
  }
  return { ...listing, providers: listing.providers.map(withCache) }
}

type Facts = ReturnType<typeof factsOf>

function cacheOf({ cache: written, cacheTokensMin, cacheLives: lives }: Facts): ListedCache {
  return written === "unknown"
    ? { written, tokensMin: null, lives: [] }
    : { written, tokensMin: cacheTokensMin, lives }
}

/** Fetches a catalog and puts it in the place of the last one; a failure changes nothing. */
export async function refreshModelCatalog(options: ListModelsOptions = {}): Promise<CatalogRefresh> {
  const { environment = process.env } = options
  const { catalogUrl } = await Effect.runPromise(settingsOf(options))
  const asked = environment["HOLDFAST_CATALOG_URL"]?.trim() || catalogUrl || catalogUrlDefault
  return refreshCatalog(dataDirectoryOf(options), asked)
}
