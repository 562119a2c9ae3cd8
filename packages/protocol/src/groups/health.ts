/** `health`: whether somebody is there, which version, and what does not work (FA1). */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Health } from "@holdfast/schema/health"

export class HealthGroup extends HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("get", "/health", { success: Health }),
) {}
