/** The models that a stage speaks to. */
import { Effect } from "effect"
import type { ModelSetup, RuntimePorts } from "@holdfast/core/session/ports"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { plainOptions, type RequestOptions } from "@holdfast/llm/options"
import { ModelNotFound } from "@holdfast/schema/error"

type Model = RuntimePorts["model"]

export type ModelSettings = Partial<Omit<ModelSetup, "target">> & { readonly options?: RequestOptions }

const outputTokensMax = 1_000

export function modelSetup({
  options = plainOptions(outputTokensMax),
  ...given
}: ModelSettings = {}): ModelSetup {
  const { ref = { provider: "sim", model: "script" }, url = "http://sim" } = given
  return {
    wire: anthropicMessages,
    contextTokens: 200_000,
    price: null,
    credential: "key",
    ...given,
    ref,
    url,
    target: { ...ref, endpoint: url, options },
  }
}

/** A model that goes by every name. */
export const anyModel =
  (settings: ModelSettings = {}): Model =>
  (asked) =>
    Effect.succeed(modelSetup(asked === null ? settings : { ...settings, ref: asked }))

/** The one model that there is. */
export const onlyModel =
  (settings: ModelSettings = {}): Model =>
  (asked) => {
    const setup = modelSetup(settings)
    if (asked === null || asked.model === setup.ref.model) return Effect.succeed(setup)
    const message = `There is no model ${asked.model}.`
    return Effect.fail(new ModelNotFound({ model: asked.model, message }))
  }
