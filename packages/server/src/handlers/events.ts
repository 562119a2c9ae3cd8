/** Handlers of `events`. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { HoldfastApi } from "@holdfast/protocol/api"
import { liveStream } from "../event-stream.ts"
import type { HostedRuntime } from "../hosted-runtime.ts"

export const eventsHandlers = (runtime: HostedRuntime, closing: AbortSignal) =>
  HttpApiBuilder.group(HoldfastApi, "events", (handlers) =>
    handlers.handle("subscribe", () => Effect.sync(() => liveStream(runtime.live, closing))),
  )
