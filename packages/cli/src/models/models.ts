/** `holdfast models`: which models can be used here, and on request a fresh catalog of them. */
import { type CatalogOptions, type CatalogRefresh, openHoldfast, refreshModelCatalog } from "@holdfast/sdk"
import { count } from "../figures.ts"
import { isOffline, offlineReserve } from "../offline/offline.ts"
import { warn } from "../opened.ts"
import { stoppedRecord, UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"
import { wrapFor } from "../text-width.ts"
import { formatListing } from "./layout.ts"
import { type ModelListing, readListing } from "./listing.ts"

export interface ModelsOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly refresh?: boolean
}

export async function showModels(
  terminal: Terminal,
  provider: string | undefined,
  options: ModelsOptions,
): Promise<number> {
  const { environment } = terminal
  const { dataDir } = options
  const where = { environment, ...(dataDir === undefined ? {} : { dataDir }) }
  const refreshed = options.refresh === true ? await refreshModelCatalog(where) : null
  if (refreshed !== null) terminal.complain(printable(tellRefresh(refreshed)))
  const listing = await listHere(terminal, where, provider)
  if (provider !== undefined && listing.providers.length === 0) {
    throw new UsageError(
      `There is no provider ${provider}. Describe it in holdfast.jsonc, or see holdfast models.`,
    )
  }
  if (options.json === true) writeLines(terminal, listing)
  else await terminal.page([wrapFor(terminal, formatListing(terminal, listing))])
  for (const problem of listing.problems) terminal.complain(printable(problem))
  if (refreshed?.kind !== "failed") return 0
  const reason = { code: "catalog_not_refreshed", message: tellRefresh(refreshed) }
  if (options.json === true) terminal.write(`${JSON.stringify(stoppedRecord("failed", reason))}\n`)
  return 1
}

/** In this process, whatever server runs: by the environment of the command, and the catalog as it is now. */
async function listHere(
  terminal: Terminal,
  where: CatalogOptions,
  provider: string | undefined,
): Promise<ModelListing> {
  await using holdfast = await openHoldfast({
    ...where,
    directory: terminal.directory,
    reserve: offlineReserve,
    continues: false,
    onConfigurationWarning: (warning) => warn(terminal, warning),
  })
  const listing = await readListing(holdfast, provider)
  if (provider !== undefined) return listing
  // What nobody chose is always there, and no setting.
  const chosen = listing.providers.filter((one) => !(one.ambient && isOffline(one)))
  return { ...listing, providers: chosen }
}

function tellRefresh(refresh: CatalogRefresh): string {
  if (refresh.kind === "failed")
    return `The catalog at ${refresh.url} was not taken: ${refresh.problem}. Nothing has changed.`
  const { url, models, leftOut } = refresh
  const rest = leftOut === 0 ? "" : `, ${count(leftOut)} left out because they cannot be read`
  return `The catalog at ${url} was stored: ${count(models, "model")}${rest}.`
}

/** One model a line, with what is told of its provider. */
function writeLines(terminal: Terminal, { providers }: ModelListing): void {
  for (const { models, baseUrl, paid, key } of providers) {
    for (const model of models) terminal.write(`${JSON.stringify({ ...model, baseUrl, paid, key })}\n`)
  }
}
