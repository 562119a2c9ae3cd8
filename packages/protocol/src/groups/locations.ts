/** `locations`: directories that Sessions may work in (CO3). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Page } from "@holdfast/schema/page"
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
    }),
    HttpApiEndpoint.get("list", "/locations", {
      ...locationInputs.list,
      success: Page(Location),
      error: [InvalidCursor, StoreFailure],
    }),
    HttpApiEndpoint.get("get", "/location", {
      ...locationInputs.get,
      success: Location,
      error: [LocationMissing, LocationUnknown, StoreFailure],
    }),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Description, groupTexts.locations) {}
