/**
 * Models that an embedding program brings along as objects, beside those of the configuration (EM2).
 *
 * A name given here wins. An object lives in its process alone: another process that meets a Session
 * with such a model says that it does not know it, and everything but a new turn works as ever.
 */
import { Effect } from "effect"
import type { AiSdkModel } from "@holdfast/llm/ai-sdk/language-model"
import { aiSdkAddress, makeAiSdkTransport } from "@holdfast/llm/ai-sdk/transport"
import { wireNamed } from "@holdfast/llm/known-wires"
import type { Transport, Wire } from "@holdfast/llm/wire"
import type { JsonObject } from "@holdfast/schema/json"
import { formatModelRef, type ModelRef, type Price } from "@holdfast/schema/model"
import type { Configured, ListedModel, ListedProvider, ResolveModel, Settings } from "../config/index.ts"
import type { ModelSetup } from "../session/ports.ts"

export { findModelFault, type AiSdkModel } from "@holdfast/llm/ai-sdk/language-model"

export interface GivenModel {
  readonly model: AiSdkModel
  readonly contextTokens: number
  readonly outputTokens: number
  readonly price: Price | null
  /** The model takes instructions at their place in time (LL2). */
  readonly systemRole: boolean
  /** Passed to the model object as they are. */
  readonly providerOptions: JsonObject | null
}

/** By `provider/model`. */
export type GivenModels = ReadonlyMap<string, GivenModel>

/** `chosen` is the model that somebody set; without one, a single given model is the default. */
export const withGivenModels =
  (resolve: ResolveModel, given: GivenModels, chosen: ModelRef | null): ResolveModel =>
  (...asked) => {
    const name = asked[0] === null ? defaultName(given, chosen) : formatModelRef(asked[0])
    const found = name === null ? undefined : given.get(name)
    if (name === null || found === undefined) return resolve(...asked)
    return Effect.map(wireNamed("ai-sdk"), (wire) => setupOf(name, found, wire as Wire))
  }

/** What is configured, and the given models beside it: a model given by a configured name takes its place. */
export const withGivenListing = (
  configured: Configured,
  given: GivenModels,
  { model: chosen, fallback }: Pick<Settings, "model" | "fallback">,
): Configured => ({
  ...configured,
  listing: (provider) =>
    Effect.map(configured.listing(provider), (listing) => {
      const models = [...given].map(([name, model]) => ({
        ...listGiven(name, model),
        default: name === defaultName(given, chosen),
        fallback: placeIn(fallback ?? [], name),
      }))
      const asked = models.filter((model) => provider === undefined || model.provider === provider)
      const providers = asked.reduce(withModel, listing.providers)
      return { ...listing, providers }
    }),
})

const placeIn = (fallback: readonly ModelRef[], name: string): number | null => {
  const place = fallback.findIndex((ref) => formatModelRef(ref) === name)
  return place < 0 ? null : place + 1
}

function withModel(providers: readonly ListedProvider[], model: ListedModel): readonly ListedProvider[] {
  const known = providers.find(({ name }) => name === model.provider)
  if (known === undefined) return [...providers, providerOf(model)]
  const others = known.models.filter((other) => other.model !== model.model)
  return providers.map((provider) =>
    provider === known ? { ...known, models: [...others, model] } : provider,
  )
}

/** An object needs no key of ours. */
const providerOf = (model: ListedModel): ListedProvider => ({
  name: model.provider,
  wire: model.wire,
  baseUrl: aiSdkAddress(formatModelRef(model)),
  paid: true,
  key: "none",
  keyProblem: null,
  ambient: false,
  open: false,
  models: [model],
})

const listGiven = (name: string, { contextTokens, outputTokens, price }: GivenModel): ListedModel => ({
  ...refOf(name),
  wire: "ai-sdk",
  contextTokens,
  outputTokens,
  price,
  tools: true,
  images: true,
  structuredOutput: false,
  reasoning: "none",
  cache: { written: "unknown", tokensMin: null, lives: [] },
  variants: [],
  default: false,
  fallback: null,
})

const refOf = (name: string): ModelRef => {
  const slash = name.indexOf("/")
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) }
}

export const withGivenTransport = (others: Transport, given: GivenModels): Transport =>
  makeAiSdkTransport(new Map([...given].map(([name, { model }]) => [name, model])), others)

function defaultName(given: GivenModels, chosen: ModelRef | null): string | null {
  if (chosen !== null) return formatModelRef(chosen)
  return given.size === 1 ? ([...given.keys()][0] ?? null) : null
}

function setupOf(name: string, given: GivenModel, wire: Wire): ModelSetup {
  const { model, contextTokens, outputTokens, price, systemRole, providerOptions } = given
  const ref = refOf(name)
  return {
    ref,
    wire,
    target: {
      ...ref,
      // Whoever answers behind the object: what one of them sealed is not shown to another (LL4).
      endpoint: aiSdkAddress(`${model.provider}/${model.modelId}`),
      options: {
        generation: { outputTokensMax: outputTokens },
        model: {},
        body: providerOptions === null ? {} : { providerOptions },
        traits: { systemRole },
      },
    },
    contextTokens,
    price,
    url: aiSdkAddress(name),
    credential: "",
  }
}
