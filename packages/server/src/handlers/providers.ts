/** Handlers of `providers`. */
import type { InstanceLists } from "@holdfast/core/page/instance-lists"
import { groupRoutes } from "../group-routes.ts"

export const providersHandlers = (lists: InstanceLists) =>
  groupRoutes("providers", {
    list: ({ query }) => lists.providers(query),
  })
