/** Models that can be used, and the catalog behind them; nothing is opened and no provider is asked. */
import { Effect } from "effect"
import {
  type CatalogRefresh,
  catalogUrlDefault,
  listModels,
  loadCatalog,
  type ModelListing,
  refreshCatalog,
} from "@holdfast/core/config/index"
import { dataDirectoryOf } from "./directories.ts"
import { settingsOf } from "./embedded/open.ts"
import type { HoldfastOptions } from "./holdfast.ts"

export interface ListModelsOptions extends Pick<HoldfastOptions, "dataDir" | "configDir" | "environment"> {
  /** One provider, also if it is not configured; all that are unless given. */
  readonly provider?: string
}

export async function listConfiguredModels(options: ListModelsOptions = {}): Promise<ModelListing> {
  const { environment = process.env, provider } = options
  const settings = await Effect.runPromise(settingsOf(options))
  const catalog = await Effect.runPromise(loadCatalog(dataDirectoryOf(options)))
  return Effect.runPromise(
    listModels({ settings, environment, catalog, ...(provider !== undefined && { provider }) }),
  )
}

/** Fetches a catalog and puts it in the place of the last one; a failure changes nothing. */
export async function refreshModelCatalog(options: ListModelsOptions = {}): Promise<CatalogRefresh> {
  const { environment = process.env } = options
  const { catalogUrl } = await Effect.runPromise(settingsOf(options))
  const asked = environment["HOLDFAST_CATALOG_URL"]?.trim() || catalogUrl || catalogUrlDefault
  return refreshCatalog(dataDirectoryOf(options), asked)
}
