/** Handlers of `providers`. */
import { HttpApiBuilder } from "effect/http-api"
import type { InstanceLists } from "@holdfast/core/page/instance-lists"
import { HoldfastApi } from "@holdfast/protocol/api"

export const providersHandlers = (lists: InstanceLists) =>
  HttpApiBuilder.group(HoldfastApi, "providers", (handlers) =>
    handlers.handle("list", ({ query }) => lists.providers(query)),
  )
