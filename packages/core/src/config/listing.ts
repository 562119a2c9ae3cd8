/**
 * Listing: which models can be used, and what is known of them (CA1). It asks nobody: no provider,
 * no command for a key.
 */
import { Effect, Result } from "effect"
import { catalogModels, priceFor, type CatalogModel } from "@holdfast/llm"
import type {
  ListedModel,
  ListedProvider as ProviderRecord,
  PrefixCache,
} from "@holdfast/schema/instance/provider"
import { formatModelRef, type ModelRef } from "@holdfast/schema/model"
import { makeCredentials } from "./credentials/credentials.ts"
import type { Environment } from "./directories.ts"
import type { FetchedCatalog } from "./fetched-catalog.ts"
import { findKnown, findProvider } from "./known-providers.ts"
import { modelFacts, findNamed } from "./model-name.ts"
import { defaultModel, isAmbient, isLoopbackUrl } from "./models.ts"
import type { ProviderSettings, Settings } from "./settings.ts"

export type { ListedModel } from "@holdfast/schema/instance/provider"

/** With the models themselves, where a surface tells how many there are. */
export interface ListedProvider extends Omit<ProviderRecord, "models"> {
  readonly models: readonly ListedModel[]
}

export interface ModelListing {
  readonly providers: readonly ListedProvider[]
  /** Names in the settings that no model has, with what to do. */
  readonly problems: readonly string[]
}

export interface ListModels {
  readonly settings: Settings
  readonly environment: Environment
  readonly catalog: FetchedCatalog
  /** One provider, also if it is not configured; all that are unless given. */
  readonly provider?: string
}

export const listModels = Effect.fnUntraced(function* (options: ListModels): Effect.fn.Return<ModelListing> {
  const { settings, catalog, provider } = options
  const configured = provider === undefined ? [...settings.providers] : one(options, provider)
  const providers = yield* Effect.forEach(configured, ([name, found]) => listProvider(options, name, found))
  const named = [
    ...(settings.model === null ? [] : [["model", settings.model] as const]),
    ...(settings.fallback ?? []).map((ref) => ["fallback", ref] as const),
  ]
  const problems = named.flatMap(([key, ref]) =>
    findNamed(settings, catalog, ref).kind === "named"
      ? []
      : [`"${key}" names ${formatModelRef(ref)}, which is not configured.`],
  )
  return { providers, problems }
})

/** A provider that the settings name, or that is known by its name alone. */
function one({ settings, environment }: ListModels, name: string): (readonly [string, ProviderSettings])[] {
  const found = settings.providers.get(name) ?? findKnown(name, environment)
  return found === null ? [] : [[name, found]]
}

const listProvider = Effect.fnUntraced(function* (
  { settings, environment, catalog }: ListModels,
  name: string,
  provider: ProviderSettings,
): Effect.fn.Return<ListedProvider> {
  const known = findProvider(name, environment)
  const read = yield* Effect.result(makeCredentials(environment).read(provider.key, "describe"))
  const listed = known === null ? [] : catalogModels(name).map(({ model }) => model)
  const fetched =
    known === null
      ? []
      : [...catalog.keys()].flatMap((key) => (key.startsWith(`${name}/`) ? [key.slice(name.length + 1)] : []))
  const names = [...new Set([...provider.models.keys(), ...listed, ...fetched])]
  const chosen = { default: defaultModel(settings), fallback: settings.fallback ?? [] }
  return {
    name,
    wire: provider.wire,
    baseUrl: provider.baseUrl,
    paid: !isLoopbackUrl(provider.baseUrl),
    key: provider.key.kind === "none" ? "none" : Result.isSuccess(read) ? "given" : "missing",
    keyProblem: Result.isSuccess(read) ? null : `The provider ${name} ${read.failure.message}`,
    ambient: isAmbient(settings, name),
    open: known?.open ?? false,
    models: names.map((model) => describe(name, provider, model, catalog, chosen)),
  }
})

function describe(
  name: string,
  provider: ProviderSettings,
  model: string,
  catalog: FetchedCatalog,
  chosen: { readonly default: ModelRef | null; readonly fallback: readonly ModelRef[] },
): ListedModel {
  const facts = modelFacts(name, provider, model, catalog)
  const variants = [...(provider.models.get(model)?.variants?.keys() ?? [])]
  const names = [model, ...variants.map((variant) => `${model}:${variant}`)]
  const isThis = (ref: ModelRef | null) => ref?.provider === name && names.includes(ref.model)
  const place = chosen.fallback.findIndex(isThis)
  return {
    provider: name,
    model,
    wire: facts.wire,
    contextTokens: facts.contextTokensMax,
    outputTokens: facts.outputTokensMax,
    price: priceFor(facts, "5m"),
    tools: facts.tools,
    images: facts.images,
    structuredOutput: facts.structuredOutput,
    reasoning: facts.reasoning,
    cache: cacheOf(facts),
    variants,
    default: isThis(chosen.default),
    fallback: place < 0 ? null : place + 1,
  }
}

const cacheOf = ({ cache: written, cacheTokensMin, cacheLives: lives }: CatalogModel): PrefixCache =>
  written === "unknown"
    ? { written, tokensMin: null, lives: [] }
    : { written, tokensMin: cacheTokensMin, lives }
