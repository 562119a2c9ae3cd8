/** `dreams`: what is remembered of a project is kept small and true (DM1, SU4). */
import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as HttpApiEndpoint from "../endpoint.ts"
import { DreamNotFound, LocationMissing, LocationUnknown, StoreFailure } from "../error.ts"
import { dreamInputs } from "../input.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { DreamDetail, DreamReport, DreamRun, RevertedDream } from "../records.ts"

const placed = [LocationMissing, LocationUnknown, StoreFailure] as const

export class DreamsGroup extends HttpApiGroup.make("dreams")
  .add(
    HttpApiEndpoint.post("run", "/dreams", {
      ...dreamInputs.run,
      success: DreamReport,
      error: placed,
    }).annotate(OpenApi.Identifier, "dreams.run"),
    HttpApiEndpoint.get("list", "/dreams", {
      ...dreamInputs.list,
      success: Schema.Struct({ runs: Schema.Array(DreamRun) }),
      error: placed,
    }).annotate(OpenApi.Identifier, "dreams.list"),
    HttpApiEndpoint.get("get", "/dreams/:runID", {
      ...dreamInputs.get,
      success: DreamDetail,
      error: [DreamNotFound, ...placed] as const,
    }).annotate(OpenApi.Identifier, "dreams.get"),
    HttpApiEndpoint.post("revert", "/dreams/:runID/revert", {
      ...dreamInputs.revert,
      success: RevertedDream,
      error: [DreamNotFound, ...placed] as const,
    }).annotate(OpenApi.Identifier, "dreams.revert"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "dreams")
  .annotate(OpenApi.Description, groupTexts.dreams) {}
