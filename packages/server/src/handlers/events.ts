/** Handlers of `events`. */
import { Effect } from "effect"
import { liveStream } from "../event-stream.ts"
import type { HostedRuntime } from "../hosted-runtime.ts"
import { groupRoutes } from "../group-routes.ts"

export const eventsHandlers = (runtime: HostedRuntime, closing: AbortSignal) =>
  groupRoutes("events", {
    subscribe: ({ query: { sessionID } }) =>
      sessionID === undefined
        ? Effect.sync(() => liveStream(runtime.live, closing))
        : Effect.map(runtime.get(sessionID), ({ id }) => liveStream(runtime.live, closing, { session: id })),
  })
