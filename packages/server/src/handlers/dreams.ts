/** Handlers of `dreams`. */
import { Effect } from "effect"
import type { Locations } from "@holdfast/core/caller/locations"
import { groupRoutes, toTheEnd } from "../group-routes.ts"
import type { HostedRuntime } from "../hosted-runtime.ts"

const runsDefault = 20

export const dreamsHandlers = ({ dreams }: HostedRuntime, locations: Locations) =>
  groupRoutes("dreams", {
    // To its end: a run that is cut off leaves the next one to say so.
    run: {
      options: toTheEnd,
      handler: ({ payload: { directory, dryRun } }) =>
        Effect.flatMap(locations.at(directory), (location) => dreams.run({ location, by: "person", dryRun })),
    },
    list: ({ query: { directory, runs = runsDefault } }) =>
      Effect.gen(function* () {
        return { runs: yield* dreams.list(yield* locations.at(directory), runs) }
      }),
    get: ({ params, query: { directory } }) =>
      Effect.flatMap(locations.at(directory), (location) => dreams.get(location, params.runID)),
    revert: {
      options: toTheEnd,
      handler: ({ params, payload: { directory, only } }) =>
        Effect.flatMap(locations.at(directory), (location) => dreams.revert(location, params.runID, only)),
    },
  })
