/** `health`: whether somebody is there, and which version. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

export const Health = Schema.Struct({ healthy: Schema.Literal(true), version: Schema.String })
export type Health = typeof Health.Type

export class HealthGroup extends HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("get", "/health", { success: Health }),
) {}
