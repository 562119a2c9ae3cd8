/** What can be used, provider by provider, as an instance tells it. */
import type { HoldfastClient, ListedModel, Provider } from "@holdfast/sdk"
import { listItems } from "../list-items.ts"

export interface ProviderListing extends Omit<Provider, "models"> {
  readonly models: readonly ListedModel[]
}

export interface ModelListing {
  readonly providers: readonly ProviderListing[]
  /** Names in the settings that no model has, with what to do. */
  readonly problems: readonly string[]
}

/** One provider, also if it is not configured; all that are unless given. */
export async function readListing(
  { providers, models, config }: Pick<HoldfastClient, "providers" | "models" | "config">,
  provider?: string,
): Promise<ModelListing> {
  const asked = provider === undefined ? {} : { provider }
  const { problems } = await config.get()
  const listed = await listItems((page) =>
    models.list(page.cursor === undefined ? { ...page, ...asked } : page),
  )
  const found = await listItems((page) =>
    providers.list(page.cursor === undefined ? { ...page, ...asked } : page),
  )
  return {
    problems,
    providers: found.map((each) => ({
      ...each,
      models: listed.filter((model) => model.provider === each.name),
    })),
  }
}
