/** Handlers of `asks`. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Cursors } from "@holdfast/core/page/cursor"
import { makeLists } from "@holdfast/core/page/lists"
import { judgePeer } from "@holdfast/core/tools/call-tree/peer"
import { AnswerRefused } from "@holdfast/schema/error"
import { SocketRequest } from "../direct-request.ts"
import { groupRoutes, toTheEnd } from "../group-routes.ts"
import type { HostedRuntime } from "../hosted-runtime.ts"

export const asksHandlers = (runtime: HostedRuntime, cursors: Cursors) => {
  const lists = makeLists(runtime, cursors)
  return groupRoutes("asks", {
    list: ({ query }) => lists.asks(query),
    answer: {
      options: toTheEnd,
      handler: ({ params, payload, request }) =>
        Effect.andThen(refuseCalls(params.askID, request), runtime.answer(params.askID, payload)),
    },
  })
}

/** A request of this process comes from no socket, and is not asked where it is from. */
const refuseCalls = Effect.fnUntraced(function* (
  ask: string,
  { source }: HttpServerRequest.HttpServerRequest,
): Effect.fn.Return<void, AnswerRefused> {
  if (!(source instanceof SocketRequest)) return
  const message = yield* Effect.promise(() => judgePeer(source.peer))
  if (message !== null) return yield* new AnswerRefused({ ask, message })
})
