/** `providers`: who can be asked for an answer, and whether there is a key for them. No key is told (AU1). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { Page } from "@holdfast/schema/page"
import * as HttpApiEndpoint from "../endpoint.ts"
import { InvalidCursor } from "../error.ts"
import { providerInputs } from "../input.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { Provider } from "../records.ts"

export class ProvidersGroup extends HttpApiGroup.make("providers")
  .add(
    HttpApiEndpoint.get("list", "/providers", {
      ...providerInputs.list,
      success: Page(Provider),
      error: InvalidCursor,
    }).annotate(OpenApi.Identifier, "providers.list"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "providers")
  .annotate(OpenApi.Description, groupTexts.providers) {}
