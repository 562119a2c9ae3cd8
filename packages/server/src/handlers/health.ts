/** Handlers of `health`. A degraded instance answers 200 all the same: it is there, and says what fails. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { HoldfastApi } from "@holdfast/protocol/api"
import { contractVersion } from "@holdfast/protocol/version"
import type { HostedRuntime } from "../hosted-runtime.ts"

export const healthHandlers = (runtime: HostedRuntime, version: string) =>
  HttpApiBuilder.group(HoldfastApi, "health", (handlers) =>
    handlers.handle("get", () =>
      Effect.map(runtime.health(), (degraded) => ({
        healthy: degraded.length === 0,
        version,
        contract: contractVersion,
        degraded,
      })),
    ),
  )
