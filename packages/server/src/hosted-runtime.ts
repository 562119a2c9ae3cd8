/**
 * What the server asks of a runtime: the part that the contract exposes. A bare Runtime fits, and
 * so does a host, whose `create` may also find a bad configuration file.
 */
import type { Effect } from "effect"
import type { CreateFailure, CreateSession, Runtime } from "@holdfast/core/runtime"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import type { SessionInfo } from "@holdfast/schema/session"

export interface HostedRuntime extends Omit<Runtime, "create" | "settled"> {
  readonly create: (input: CreateSession) => Effect.Effect<SessionInfo, CreateFailure | ConfigurationInvalid>
}
