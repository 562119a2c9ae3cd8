/** Handlers of `config`. */
import { Effect } from "effect"
import type { Locations } from "@holdfast/core/caller/locations"
import type { HostedRuntime } from "../hosted-runtime.ts"
import { groupRoutes } from "../group-routes.ts"

export const configHandlers = (runtime: HostedRuntime, locations: Locations) =>
  groupRoutes("config", {
    get: ({ query }) =>
      Effect.flatMap(locations.at(query.directory), ({ projectRoot }) => runtime.configuration(projectRoot)),
  })
