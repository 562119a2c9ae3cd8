/** Handlers of `search`. */
import { Effect } from "effect"
import type { Locations } from "@holdfast/core/caller/locations"
import { groupRoutes } from "../group-routes.ts"
import type { HostedRuntime } from "../hosted-runtime.ts"

export const searchHandlers = (runtime: HostedRuntime, locations: Locations) =>
  groupRoutes("searches", {
    find: ({ payload: { directory, allProjects = false, sessionID, query: text, results: limit } }) =>
      Effect.gen(function* () {
        const asked = { text, ...(limit !== undefined && { limit }) }
        if (sessionID !== undefined)
          return yield* runtime.search({
            ...asked,
            projectRoot: null,
            session: (yield* runtime.get(sessionID)).id,
          })
        const projectRoot = allProjects ? null : (yield* locations.at(directory)).projectRoot
        return yield* runtime.search({ ...asked, projectRoot })
      }),
    embed: ({ payload: { directory, allProjects = false, sessionID } }) =>
      Effect.gen(function* () {
        if (sessionID !== undefined)
          return yield* runtime.embedHistory({ session: (yield* runtime.get(sessionID)).id })
        const projectRoot = allProjects ? null : (yield* locations.at(directory)).projectRoot
        return yield* runtime.embedHistory({ projectRoot })
      }),
  })
