/** Handlers of `models`. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { InstanceLists } from "@holdfast/core/page/instance-lists"
import { HoldfastApi } from "@holdfast/protocol/api"
import type { HostedRuntime } from "../hosted-runtime.ts"
import { modelNamed } from "../model-name.ts"

export const modelsHandlers = (runtime: HostedRuntime, lists: InstanceLists) =>
  HttpApiBuilder.group(HoldfastApi, "models", (handlers) =>
    handlers.handleAll({
      get: ({ query: { model } }) =>
        model === undefined ? runtime.model(null) : Effect.flatMap(modelNamed(model), runtime.model),
      list: ({ query }) => lists.models(query),
    }),
  )
