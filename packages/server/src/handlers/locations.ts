/** Handlers of `locations`. */
import type { Locations } from "@holdfast/core/caller/locations"
import type { InstanceLists } from "@holdfast/core/page/instance-lists"
import { groupRoutes, toTheEnd } from "../group-routes.ts"

export const locationsHandlers = (locations: Locations, lists: InstanceLists) =>
  groupRoutes("locations", {
    open: {
      options: toTheEnd,
      handler: ({ payload }) => locations.open(payload.directory),
    },
    list: ({ query }) => lists.locations(query),
    get: ({ query }) => locations.at(query.directory),
  })
