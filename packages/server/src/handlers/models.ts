/** Handlers of `models`. */
import { Effect } from "effect"
import type { InstanceLists } from "@holdfast/core/page/instance-lists"
import type { HostedRuntime } from "../hosted-runtime.ts"
import { modelNamed } from "../model-name.ts"
import { groupRoutes } from "../group-routes.ts"

export const modelsHandlers = (runtime: HostedRuntime, lists: InstanceLists) =>
  groupRoutes("models", {
    get: ({ query: { model } }) =>
      model === undefined ? runtime.model(null) : Effect.flatMap(modelNamed(model), runtime.model),
    list: ({ query }) => lists.models(query),
  })
