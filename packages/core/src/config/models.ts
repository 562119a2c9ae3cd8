/**
 * Models: from settings to a model that can be spoken to.
 *
 * The catalog knows the facts of known models and the user's settings win over them (CA1). A model
 * that cannot be used is one failure, whatever the cause, and its message says what to do.
 */
import { Effect } from "effect"
import { priceFor, traitsOf, type ModelRequestOptions } from "@holdfast/llm"
import { wireNamed } from "@holdfast/llm/known-wires"
import { outputTokensReserved } from "@holdfast/llm/options"
import type { Wire } from "@holdfast/llm/wire"
import type { ModelNotFound } from "@holdfast/schema/error"
import type { ModelRef, Price } from "@holdfast/schema/model"
import type { ModelSetup } from "../session/ports.ts"
import type { Credential } from "./credentials/credential.ts"
import { type Credentials, makeCredentials, type Purpose } from "./credentials/credentials.ts"
import type { Environment } from "./directories.ts"
import { type FetchedCatalog, noCatalog } from "./fetched-catalog.ts"
import { mergeOptions } from "./given-options.ts"
import { findProvider, isListed, knownNames } from "./known-providers.ts"
import {
  findFallbackFault,
  helperFaults,
  keyNotFound,
  type ModelSpace,
  noneChosen,
  notNamed,
} from "./misnamed.ts"
import { findNamed, type NamedModel } from "./model-name.ts"
import type { LifetimeSetting } from "../session/request/lifetimes.ts"
import type { ModelSettings, Settings } from "./settings.ts"

/** What may be told about a model; no key is in it. */
export interface ModelInfo {
  readonly provider: string
  readonly model: string
  readonly baseUrl: string
  /** Not on this machine: requests may cost money. */
  readonly paid: boolean
  readonly contextTokens: number
  /** Whether it is shown images; else they are named to it. */
  readonly images: boolean
  readonly price: Price | null
  /** The one that was asked for, where it rests after a failure and this one answers for it (CA3). */
  readonly insteadOf?: { readonly model: ModelRef; readonly until: number }
}

export interface ProviderInfo {
  readonly name: string
  readonly baseUrl: string
  readonly paid: boolean
  readonly models: readonly string[]
  /** Its keys are there for other programs too, and no setting names it: nobody chose it. */
  readonly ambient?: boolean
}

/** Null asks for the default. Without a purpose the model is described, and no command is run for its key. */
export type ResolveModel = (
  ref: ModelRef | null,
  purpose?: Purpose,
) => Effect.Effect<ModelSetup, ModelNotFound>

export interface ModelSources {
  /** What a refresh has fetched. */
  readonly catalog?: FetchedCatalog
  readonly credentials?: Credentials
}

export function resolveModels(
  settings: Settings,
  environment: Environment,
  sources: ModelSources = {},
): ResolveModel {
  const { catalog = noCatalog, credentials = makeCredentials(environment) } = sources
  return (asked, purpose = "describe") => {
    const ref = asked ?? defaultModel(settings)
    const space = spaceOf(settings, environment, catalog)
    if (ref === null) return Effect.fail(noneChosen(space))
    const naming = findNamed(settings, catalog, ref)
    if (naming.kind !== "named") return Effect.flatMap(notNamed(space, ref, naming, credentials), Effect.fail)
    const { named } = naming
    return credentials.read(named.provider.key, purpose).pipe(
      Effect.mapError((fault) => keyNotFound(ref, fault)),
      Effect.zipWith(wireNamed(named.facts.wire), (credential, wire) => ({
        ...setupOf(named, wire, settings.cache?.lifetime ?? "auto"),
        credential,
        renew: (refused: Credential) => credentials.renew(named.provider.key, refused),
      })),
    )
  }
}

/** What the fallback list names and nothing knows, or null (CA3). */
export const fallbackFault = (
  settings: Settings,
  environment: Environment,
  catalog: FetchedCatalog,
): ModelNotFound | null => findFallbackFault(spaceOf(settings, environment, catalog))

/** What settings name for work beside the turns and nothing knows, a sentence each (HI8). */
export const helperWarnings = (
  settings: Settings,
  environment: Environment,
  catalog: FetchedCatalog,
): readonly string[] => helperFaults(spaceOf(settings, environment, catalog))

const spaceOf = (settings: Settings, environment: Environment, catalog: FetchedCatalog): ModelSpace => ({
  settings,
  environment,
  catalog,
  preferred: defaultModel(settings),
})

export const describeModel = ({ ref, url, contextTokens, target, price }: ModelSetup): ModelInfo => ({
  provider: ref.provider,
  model: ref.model,
  baseUrl: url,
  paid: !isLoopbackUrl(url),
  contextTokens,
  images: target.options.traits.withoutImages !== true,
  price,
})

export const describeProviders = (settings: Settings): readonly ProviderInfo[] =>
  [...settings.providers].map(([name, { baseUrl, models }]) => ({
    name,
    baseUrl,
    paid: !isLoopbackUrl(baseUrl),
    models: [...models.keys()],
    ...(isAmbient(settings, name) && { ambient: true }),
  }))

/** Whether nobody chose the provider: it is there for other programs, and no setting names it. */
export const isAmbient = ({ providers, model }: Settings, name: string): boolean =>
  providers.get(name)?.ambient === true && model?.provider !== name

/**
 * The chosen one, else the only one in a file, else that of the first provider that has a default.
 * What a program has in reserve is taken only where nothing of these is configured.
 */
export function defaultModel(settings: Settings): ModelRef | null {
  if (settings.model !== null) return settings.model
  const configured = configuredIn(settings)
  if (configured.size === 0) return onlyOne(modelsNamed(settings.providers))
  const named = modelsNamed(configured)
  if (named.length > 0) return onlyOne(named)
  for (const provider of knownNames()) {
    const model = configured.has(provider) ? findProvider(provider, {})?.defaultModel : null
    if (typeof model === "string" && isListed(provider, model)) return { provider, model }
  }
  return null
}

type Providers = Settings["providers"]

/** Without those that nobody chose. */
const configuredIn = ({ providers }: Settings): Providers =>
  new Map([...providers].filter(([, { ambient = false }]) => !ambient))

const onlyOne = (models: readonly ModelRef[]): ModelRef | null =>
  models.length === 1 ? (models[0] ?? null) : null

const modelsNamed = (providers: Providers): readonly ModelRef[] =>
  [...providers].flatMap(([provider, { models }]) => [...models.keys()].map((model) => ({ provider, model })))

function setupOf(
  named: NamedModel,
  wire: Wire | null,
  lifetime: LifetimeSetting,
): Omit<ModelSetup, "credential"> {
  const { ref, model, provider, settings, variant, facts } = named
  if (wire === null) throw new Error(`There is no wire named ${facts.wire}.`)
  const given = mergeOptions(provider.options, settings.options, variant ?? undefined)
  const { outputTokensMax = settings.outputTokens ?? outputTokensReserved } = given.generation
  return {
    ref,
    wire,
    target: {
      provider: ref.provider,
      model,
      endpoint: provider.baseUrl,
      options: {
        generation: {
          ...given.generation,
          outputTokensMax: Math.min(outputTokensMax, facts.outputTokensMax),
        },
        model: { ...reasoningOf(settings), ...given.model },
        body: given.body,
        traits: traitsOf(facts),
      },
    },
    contextTokens: facts.contextTokensMax,
    price: priceFor(facts, given.model.cacheTtl ?? "5m"),
    // An option of the model is more than a setting for all.
    ...(given.model.cacheTtl === undefined && facts.cacheLives.includes("1h") && { lifetime }),
    url: provider.baseUrl,
    ...(provider.timeouts && { timeouts: provider.timeouts }),
  }
}

const reasoningOf = ({ thinkingTokens }: ModelSettings): ModelRequestOptions =>
  thinkingTokens === undefined ? {} : { reasoning: { kind: "budget", tokens: thinkingTokens } }

export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname)
}
