/** Handlers of `models`. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { HoldfastApi } from "@holdfast/protocol/api"
import type { HostedRuntime } from "../hosted-runtime.ts"
import { modelNamed } from "../model-name.ts"

export const modelsHandlers = (runtime: HostedRuntime) =>
  HttpApiBuilder.group(HoldfastApi, "models", (handlers) =>
    handlers.handle("get", ({ query: { model } }) =>
      model === undefined ? runtime.model(null) : Effect.flatMap(modelNamed(model), runtime.model),
    ),
  )
