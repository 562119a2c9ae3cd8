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
import type { ResolveModel } from "../config/index.ts"
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

export const withGivenTransport = (others: Transport, given: GivenModels): Transport =>
  makeAiSdkTransport(new Map([...given].map(([name, { model }]) => [name, model])), others)

function defaultName(given: GivenModels, chosen: ModelRef | null): string | null {
  if (chosen !== null) return formatModelRef(chosen)
  return given.size === 1 ? ([...given.keys()][0] ?? null) : null
}

function setupOf(name: string, given: GivenModel, wire: Wire): ModelSetup {
  const { model, contextTokens, outputTokens, price, systemRole, providerOptions } = given
  const slash = name.indexOf("/")
  const ref = { provider: name.slice(0, slash), model: name.slice(slash + 1) }
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
