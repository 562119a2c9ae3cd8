/** Handlers of `events`. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { HoldfastApi } from "@holdfast/protocol/api"
import { liveStream } from "../event-stream.ts"
import type { HostedRuntime } from "../hosted-runtime.ts"

export const eventsHandlers = (runtime: HostedRuntime, closing: AbortSignal) =>
  HttpApiBuilder.group(HoldfastApi, "events", (handlers) =>
    handlers.handle("subscribe", ({ query: { sessionID } }) =>
      sessionID === undefined
        ? Effect.sync(() => liveStream(runtime.live, closing))
        : Effect.map(runtime.get(sessionID), ({ id }) => liveStream(runtime.live, closing, { session: id })),
    ),
  )
