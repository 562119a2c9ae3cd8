/** Handlers of `health`. A degraded instance answers 200 all the same: it is there, and says what fails. */
import { Effect } from "effect"
import { contractVersion } from "@holdfast/protocol/version"
import type { HostedRuntime } from "../hosted-runtime.ts"
import { groupRoutes } from "../group-routes.ts"

export const healthHandlers = (runtime: HostedRuntime, version: string) =>
  groupRoutes("health", {
    get: () =>
      Effect.map(runtime.health(), (degraded) => ({
        healthy: degraded.length === 0,
        version,
        contract: contractVersion,
        degraded,
      })),
  })
