/**
 * Models: from settings to a model that can be spoken to.
 *
 * The catalog knows the facts of known models and the user's settings win over them (CA1). A model
 * that cannot be used is one failure, whatever the cause, and its message lists what could be.
 */
import { Effect, Redacted } from "effect"
import {
  catalogModels,
  findModel,
  traitsOf,
  type CatalogOverride,
  type ModelRequestOptions,
} from "@holdfast/llm"
import { wires } from "@holdfast/llm/wires"
import { ModelNotFound } from "@holdfast/schema/error"
import { formatModelRef, type ModelRef, type Price } from "@holdfast/schema/model"
import type { ModelSetup } from "../session/ports.ts"
import type { Environment } from "./directories.ts"
import { anthropic, type ModelSettings, type ProviderSettings, type Settings } from "./settings.ts"

/** What may be told about a model; no key is in it. */
export interface ModelInfo {
  readonly provider: string
  readonly model: string
  readonly baseUrl: string
  /** Not on this machine: requests may cost money. */
  readonly paid: boolean
  readonly contextTokens: number
  readonly price: Price | null
}

export interface ProviderInfo {
  readonly name: string
  readonly baseUrl: string
  readonly paid: boolean
  readonly models: readonly string[]
}

/** Null asks for the default. */
export type ResolveModel = (ref: ModelRef | null) => Effect.Effect<ModelSetup, ModelNotFound>

export function resolveModels(settings: Settings, environment: Environment): ResolveModel {
  return (asked) => {
    const ref = asked ?? defaultModel(settings)
    if (ref === null)
      return notFound(
        "default",
        `No model is chosen. Set "model" in holdfast.jsonc or give --model. ${listed(settings)}`,
      )
    const name = formatModelRef(ref)
    const provider = settings.providers.get(ref.provider)
    if (provider === undefined)
      return notFound(name, `There is no provider ${ref.provider}. ${listed(settings)}`)
    const model = provider.models.get(ref.model) ?? (isInCatalog(ref) ? {} : null)
    if (model === null)
      return notFound(name, `The provider ${ref.provider} has no model ${ref.model}. ${listed(settings)}`)
    const key = readKey(provider, environment)
    if (key.kind === "missing") {
      return notFound(
        name,
        `The provider ${ref.provider} takes its key from the variable ${key.variable}, which is not set. Set it, then try again.`,
      )
    }
    return Effect.succeed(setupOf(ref, provider, model, key.value))
  }
}

export const describeModel = ({ ref, url, contextTokens, price }: ModelSetup): ModelInfo => ({
  provider: ref.provider,
  model: ref.model,
  baseUrl: url,
  paid: !isLoopback(url),
  contextTokens,
  price,
})

export const describeProviders = (settings: Settings): readonly ProviderInfo[] =>
  [...settings.providers].map(([name, { baseUrl, models }]) => ({
    name,
    baseUrl,
    paid: !isLoopback(baseUrl),
    models: [...models.keys()],
  }))

/** The chosen one, else the only one in a file, else the default of the provider without a file. */
function defaultModel(settings: Settings): ModelRef | null {
  if (settings.model !== null) return settings.model
  const named = modelsNamed(settings)
  if (named.length > 0) return named.length === 1 ? (named[0] ?? null) : null
  if (!settings.providers.has(anthropic.name)) return null
  return { provider: anthropic.name, model: anthropic.defaultModel }
}

const modelsNamed = (settings: Settings): readonly ModelRef[] =>
  [...settings.providers].flatMap(([provider, { models }]) =>
    [...models.keys()].map((model) => ({ provider, model })),
  )

/** A dated id such as `claude-x-20990101` names a model of the catalog too. */
const isInCatalog = (ref: ModelRef): boolean =>
  ref.provider === anthropic.name &&
  catalogModels(ref.provider).some(({ model }) => ref.model === model || ref.model.startsWith(`${model}-`))

function setupOf(
  ref: ModelRef,
  provider: ProviderSettings,
  model: ModelSettings,
  apiKey: string,
): ModelSetup {
  const facts = findModel(ref, { wire: provider.wire, ...overrideOf(model) })
  const wire = wires[provider.wire]
  if (wire === undefined) throw new Error(`There is no wire named ${provider.wire}.`)
  return {
    ref,
    wire,
    target: {
      provider: ref.provider,
      model: ref.model,
      endpoint: provider.baseUrl,
      options: {
        generation: { outputTokensMax: facts.outputTokensMax },
        model: reasoningOf(model),
        body: {},
        traits: traitsOf(facts),
      },
    },
    contextTokens: facts.contextTokensMax,
    price: facts.price,
    url: provider.baseUrl,
    apiKey,
  }
}

const reasoningOf = ({ thinkingTokens }: ModelSettings): ModelRequestOptions =>
  thinkingTokens === undefined ? {} : { reasoning: { kind: "budget", tokens: thinkingTokens } }

function overrideOf(model: ModelSettings): CatalogOverride {
  const { contextTokens, outputTokens, systemRole, price } = model
  return {
    ...(contextTokens === undefined ? {} : { contextTokensMax: contextTokens }),
    ...(outputTokens === undefined ? {} : { outputTokensMax: outputTokens }),
    ...(systemRole === undefined ? {} : { systemRole }),
    ...(price === undefined ? {} : { price }),
  }
}

type Key =
  | { readonly kind: "found"; readonly value: string }
  | { readonly kind: "missing"; readonly variable: string }

/** Said to a server that asks for no key: some refuse an empty header. */
const keyless = "none"

function readKey({ key }: ProviderSettings, environment: Environment): Key {
  if (key.kind === "none") return { kind: "found", value: keyless }
  if (key.kind === "value") return { kind: "found", value: Redacted.value(key.value) }
  const value = (environment[key.name] ?? "").trim()
  return value === "" ? { kind: "missing", variable: key.name } : { kind: "found", value }
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname)
}

const notFound = (model: string, message: string) => Effect.fail(new ModelNotFound({ model, message }))

function listed(settings: Settings): string {
  if (settings.providers.size === 0) {
    return `No provider is configured: set ${anthropic.keyVariable}, or describe one in holdfast.jsonc.`
  }
  const names = modelsNamed(settings).map(formatModelRef)
  const catalog = settings.providers.has(anthropic.name)
    ? catalogModels(anthropic.name).map(formatModelRef)
    : []
  return `Configured: ${[...new Set([...names, ...catalog])].join(", ")}.`
}
