/** `config`: the settings in force, and where each comes from, without anything secret (AU1). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as HttpApiEndpoint from "../endpoint.ts"
import { LocationMissing, LocationUnknown, StoreFailure } from "../error.ts"
import { configInputs } from "../input.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { Configuration } from "../records.ts"

export class ConfigGroup extends HttpApiGroup.make("config")
  .add(
    HttpApiEndpoint.get("get", "/config", {
      ...configInputs.get,
      success: Configuration,
      error: [LocationMissing, LocationUnknown, StoreFailure],
    }).annotate(OpenApi.Identifier, "config.get"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "config")
  .annotate(OpenApi.Description, groupTexts.config) {}
