/** `models`: what a turn would speak to. */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ModelInfo } from "@holdfast/schema/model"
import { ModelNotFound } from "../error.ts"
import { modelInputs } from "../input.ts"
import { RequestCheck } from "../middleware.ts"

export class ModelsGroup extends HttpApiGroup.make("models")
  .add(
    HttpApiEndpoint.get("get", "/model", {
      ...modelInputs.get,
      success: ModelInfo,
      error: ModelNotFound,
    }),
  )
  .middleware(RequestCheck) {}
