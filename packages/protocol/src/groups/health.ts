/** `health`: whether somebody is there, which version, and what does not work (FA1). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as HttpApiEndpoint from "../endpoint.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { Health } from "../records.ts"

export class HealthGroup extends HttpApiGroup.make("health")
  .add(HttpApiEndpoint.get("get", "/health", { success: Health }).annotate(OpenApi.Identifier, "health.get"))
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "health")
  .annotate(OpenApi.Description, groupTexts.health) {}
