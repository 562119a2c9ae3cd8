/** Handlers of `models`. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { InstanceLists } from "@holdfast/core/page/instance-lists"
import { HoldfastApi } from "@holdfast/protocol/api"
import { ModelNotFound } from "@holdfast/schema/error"
import { parseModelRef } from "@holdfast/schema/model"
import type { HostedRuntime } from "../hosted-runtime.ts"

export const modelsHandlers = (runtime: HostedRuntime, lists: InstanceLists) =>
  HttpApiBuilder.group(HoldfastApi, "models", (handlers) =>
    handlers.handleAll({
      get: ({ query }) => {
        if (query.model === undefined) return runtime.model(null)
        const ref = parseModelRef(query.model)
        return ref === null ? Effect.fail(noName(query.model)) : runtime.model(ref)
      },
      list: ({ query }) => lists.models(query),
    }),
  )

const shownLengthMax = 200

const noName = (model: string): ModelNotFound =>
  new ModelNotFound({
    model: model.slice(0, shownLengthMax),
    message: "That names no model. Write provider and model with a slash between them.",
  })
