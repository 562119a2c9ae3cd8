/** Handlers of `locations`. */
import { HttpApiBuilder } from "effect/http-api"
import type { Locations } from "@holdfast/core/caller/locations"
import type { InstanceLists } from "@holdfast/core/page/instance-lists"
import { HoldfastApi } from "@holdfast/protocol/api"

export const locationsHandlers = (locations: Locations, lists: InstanceLists) =>
  HttpApiBuilder.group(HoldfastApi, "locations", (handlers) =>
    handlers.handleAll({
      open: {
        options: { uninterruptible: true },
        handler: ({ payload }) => locations.open(payload.directory),
      },
      list: ({ query }) => lists.locations(query),
      get: ({ query }) => locations.at(query.directory),
    }),
  )
