/** `locations`: directories that Sessions may work in (CO3). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { Page } from "@holdfast/schema/page"
import * as HttpApiEndpoint from "../endpoint.ts"
import { InvalidCursor, LocationMissing, LocationUnknown, StoreFailure } from "../error.ts"
import { locationInputs } from "../input.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { Location } from "../records.ts"

export class LocationsGroup extends HttpApiGroup.make("locations")
  .add(
    HttpApiEndpoint.post("open", "/location", {
      ...locationInputs.open,
      success: Location,
      error: [LocationMissing, StoreFailure],
    }).annotate(OpenApi.Identifier, "locations.open"),
    HttpApiEndpoint.get("list", "/locations", {
      ...locationInputs.list,
      success: Page(Location),
      error: [InvalidCursor, StoreFailure],
    }).annotate(OpenApi.Identifier, "locations.list"),
    HttpApiEndpoint.get("get", "/location", {
      ...locationInputs.get,
      success: Location,
      error: [LocationMissing, LocationUnknown, StoreFailure],
    }).annotate(OpenApi.Identifier, "locations.get"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "locations")
  .annotate(OpenApi.Description, groupTexts.locations) {}
