/** `models`: what a turn would speak to. */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { Page } from "@holdfast/schema/page"
import * as HttpApiEndpoint from "../endpoint.ts"
import { InvalidCursor, ModelNotFound } from "../error.ts"
import { modelInputs } from "../input.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { ListedModel, Model } from "../records.ts"

export class ModelsGroup extends HttpApiGroup.make("models")
  .add(
    HttpApiEndpoint.get("get", "/model", {
      ...modelInputs.get,
      success: Model,
      error: ModelNotFound,
    }).annotate(OpenApi.Identifier, "models.get"),
    HttpApiEndpoint.get("list", "/models", {
      ...modelInputs.list,
      success: Page(ListedModel),
      error: InvalidCursor,
    }).annotate(OpenApi.Identifier, "models.list"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "models")
  .annotate(OpenApi.Description, groupTexts.models) {}
