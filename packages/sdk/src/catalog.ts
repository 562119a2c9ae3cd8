/** The catalog of models, fetched anew; nothing is opened and no provider is asked. */
import { Effect } from "effect"
import { type CatalogRefresh, catalogUrlDefault, refreshCatalog } from "@holdfast/core/config/index"
import { dataDirectoryOf } from "./directories.ts"
import { settingsOf } from "./embedded/open.ts"
import type { HoldfastOptions } from "./holdfast.ts"

export type CatalogOptions = Pick<HoldfastOptions, "dataDir" | "configDir" | "environment">

/** Fetches a catalog and puts it in the place of the last one; a failure changes nothing. */
export async function refreshModelCatalog(options: CatalogOptions = {}): Promise<CatalogRefresh> {
  const { environment = process.env } = options
  const { catalogUrl } = await Effect.runPromise(settingsOf(options))
  const asked = environment["HOLDFAST_CATALOG_URL"]?.trim() || catalogUrl || catalogUrlDefault
  return refreshCatalog(dataDirectoryOf(options), asked)
}
