/**
 * Any model object of the AI SDK as a model of Holdfast, for providers that no wire speaks to.
 *
 *   openHoldfast({
 *     models: { "mine/large": fromAiSdk(provider("large"), { limit: { context: 200_000, output: 8_192 } }) },
 *   })
 *
 * The object is taken by its shape; nothing of the AI SDK is loaded. What is lost against a wire of
 * our own stands in docs/wires.md.
 */
import { type AiSdkModel, findModelFault, type GivenModel } from "@holdfast/core/host/given-models"
import type { JsonObject } from "@holdfast/schema/json"

export interface AiSdkOptions {
  readonly limit: { readonly context: number; readonly output: number }
  /** The provider behind the object takes system messages at their place in time. */
  readonly systemRole?: boolean
  /** Dollars for a million tokens. */
  readonly price?: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
  }
  /** As the AI SDK takes them: by the name of the provider. They are stored with every turn: no secrets. */
  readonly providerOptions?: JsonObject
}

/** Throws a TypeError for an object that cannot be a model, and for limits that cannot hold. */
export function fromAiSdk(model: AiSdkModel, options: AiSdkOptions): GivenModel {
  const fault = findModelFault(model)
  if (fault !== null) throw new TypeError(`fromAiSdk needs a language model of the AI SDK. ${fault}`)
  const { context, output } = options.limit
  if (![context, output].every((tokens) => Number.isSafeInteger(tokens) && tokens > 0) || output >= context)
    throw new TypeError("fromAiSdk needs limits in whole tokens, and an output below the context.")
  return {
    model,
    contextTokens: context,
    outputTokens: output,
    price: options.price ?? null,
    systemRole: options.systemRole ?? false,
    providerOptions: options.providerOptions ?? null,
  }
}
