/** Handlers of `asks`. */
import type { Cursors } from "@holdfast/core/page/cursor"
import { makeLists } from "@holdfast/core/page/lists"
import { groupRoutes, toTheEnd } from "../group-routes.ts"
import type { HostedRuntime } from "../hosted-runtime.ts"

export const asksHandlers = (runtime: HostedRuntime, cursors: Cursors) => {
  const lists = makeLists(runtime, cursors)
  return groupRoutes("asks", {
    list: ({ query }) => lists.asks(query),
    answer: { options: toTheEnd, handler: ({ params, payload }) => runtime.answer(params.askID, payload) },
  })
}
