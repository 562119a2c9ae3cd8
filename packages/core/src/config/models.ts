/**
 * Models: from settings to a model that can be spoken to.
 *
 * The catalog knows the facts of known models and the user's settings win over them (CA1). A model
 * that cannot be used is one failure, whatever the cause, and its message lists what could be.
 */
import { Effect } from "effect"
import { catalogModels, priceFor, traitsOf, type ModelRequestOptions } from "@holdfast/llm"
import { wires } from "@holdfast/llm/wires"
import { ModelNotFound } from "@holdfast/schema/error"
import { formatModelRef, type ModelRef, type Price } from "@holdfast/schema/model"
import type { ModelSetup } from "../session/ports.ts"
import type { Credential } from "./credentials/credential.ts"
import { type Credentials, makeCredentials, type Purpose } from "./credentials/credentials.ts"
import type { Environment } from "./directories.ts"
import { type FetchedCatalog, noCatalog } from "./fetched-catalog.ts"
import { mergeOptions } from "./given-options.ts"
import { findProvider, isListed, keyVariableNames, knownNames } from "./known-providers.ts"
import { findNamed, type NamedModel, type Naming } from "./model-name.ts"
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
    if (ref === null)
      return notFound(
        "default",
        `No model is chosen. Set "model" in holdfast.jsonc or give --model. ${listed(settings, catalog)}`,
      )
    const naming = findNamed(settings, catalog, ref)
    if (naming.kind !== "named")
      return notFound(formatModelRef(ref), `${misnamed(ref, naming)} ${listed(settings, catalog)}`)
    const { named } = naming
    return credentials.read(named.provider.key, purpose).pipe(
      Effect.mapError(({ message }) => {
        const model = formatModelRef(ref)
        return new ModelNotFound({ model, message: `The provider ${ref.provider} ${message}` })
      }),
      Effect.map((credential) => ({
        ...setupOf(named),
        credential,
        renew: (refused: Credential) => credentials.renew(named.provider.key, refused),
      })),
    )
  }
}

export const describeModel = ({ ref, url, contextTokens, target, price }: ModelSetup): ModelInfo => ({
  provider: ref.provider,
  model: ref.model,
  baseUrl: url,
  paid: !isLoopback(url),
  contextTokens,
  images: target.options.traits.withoutImages !== true,
  price,
})

export const describeProviders = (settings: Settings): readonly ProviderInfo[] =>
  [...settings.providers].map(([name, { baseUrl, models, ambient = false }]) => ({
    name,
    baseUrl,
    paid: !isLoopback(baseUrl),
    models: [...models.keys()],
    ...(ambient && settings.model?.provider !== name && { ambient }),
  }))

/** The chosen one, else the only one in a file, else that of the first provider that has a default. */
export function defaultModel(settings: Settings): ModelRef | null {
  if (settings.model !== null) return settings.model
  const named = modelsNamed(settings)
  if (named.length > 0) return named.length === 1 ? (named[0] ?? null) : null
  for (const provider of knownNames()) {
    const model = settings.providers.has(provider) ? findProvider(provider, {})?.defaultModel : null
    if (typeof model === "string" && isListed(provider, model)) return { provider, model }
  }
  return null
}

const modelsNamed = (settings: Settings): readonly ModelRef[] =>
  [...settings.providers].flatMap(([provider, { models }]) =>
    [...models.keys()].map((model) => ({ provider, model })),
  )

function setupOf(named: NamedModel): Omit<ModelSetup, "credential"> {
  const { ref, model, provider, settings, variant, facts } = named
  const wire = wires[facts.wire]
  if (wire === undefined) throw new Error(`There is no wire named ${facts.wire}.`)
  const given = mergeOptions(provider.options, settings.options, variant ?? undefined)
  const { outputTokensMax = facts.outputTokensMax } = given.generation
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
    url: provider.baseUrl,
  }
}

const reasoningOf = ({ thinkingTokens }: ModelSettings): ModelRequestOptions =>
  thinkingTokens === undefined ? {} : { reasoning: { kind: "budget", tokens: thinkingTokens } }

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname)
}

const notFound = (model: string, message: string) => Effect.fail(new ModelNotFound({ model, message }))

function misnamed(ref: ModelRef, naming: Exclude<Naming, { kind: "named" }>): string {
  if (naming.kind === "no-provider") return `There is no provider ${ref.provider}.`
  if (naming.kind === "no-model") return `The provider ${ref.provider} has no model ${ref.model}.`
  const { model, variants } = naming
  const known = variants.length === 0 ? "It has none." : `It has ${variants.join(", ")}.`
  return `The model ${ref.provider}/${model} has no variant ${ref.model.slice(model.length + 1)}. ${known}`
}

/** Names in one sentence; a list of all is a command's work. */
const listedMax = 40

function listed(settings: Settings, catalog: FetchedCatalog): string {
  if (settings.providers.size === 0) {
    const [first, ...others] = keyVariableNames()
    return `No provider is configured: set ${first} (or ${others.slice(0, 3).join(", ")}, …), or describe one in holdfast.jsonc.`
  }
  const embedded = [...settings.providers.keys()].flatMap((name) => catalogModels(name).map(formatModelRef))
  const fetched = [...catalog.keys()].filter((name) => settings.providers.has(name.split("/", 1)[0] ?? ""))
  const names = [...new Set([...modelsNamed(settings).map(formatModelRef), ...embedded, ...fetched])]
  const more = names.length - listedMax
  const rest = more > 0 ? ` and ${more} more; \`holdfast models\` lists them` : ""
  return `Configured: ${names.slice(0, listedMax).join(", ")}${rest}.`
}
