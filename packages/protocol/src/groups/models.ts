/** `models`: what a turn would speak to. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ModelInfo } from "@holdfast/schema/model"
import { ModelNotFound } from "../error.ts"
import { RequestCheck } from "../middleware.ts"

export class ModelsGroup extends HttpApiGroup.make("models")
  .add(
    HttpApiEndpoint.get("get", "/model", {
      /** As `provider/model`; the default where it is left out. */
      query: { model: Schema.optionalKey(Schema.String) },
      success: ModelInfo,
      error: ModelNotFound,
    }),
  )
  .middleware(RequestCheck) {}
