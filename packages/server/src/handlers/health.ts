/** Handlers of `health`. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { HoldfastApi } from "@holdfast/protocol/api"

export const healthHandlers = (version: string) =>
  HttpApiBuilder.group(HoldfastApi, "health", (handlers) =>
    handlers.handle("get", () => Effect.succeed({ healthy: true as const, version })),
  )
