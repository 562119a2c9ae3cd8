/** Handlers of `config`. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Locations } from "@holdfast/core/caller/locations"
import { HoldfastApi } from "@holdfast/protocol/api"
import type { HostedRuntime } from "../hosted-runtime.ts"

export const configHandlers = (runtime: HostedRuntime, locations: Locations) =>
  HttpApiBuilder.group(HoldfastApi, "config", (handlers) =>
    handlers.handle("get", ({ query }) =>
      Effect.flatMap(locations.at(query.directory), ({ projectRoot }) => runtime.configuration(projectRoot)),
    ),
  )
