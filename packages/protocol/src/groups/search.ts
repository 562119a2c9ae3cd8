/** `searches`: one question to all that was said (SE1). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as HttpApiEndpoint from "../endpoint.ts"
import { InvalidId, LocationMissing, LocationUnknown, SessionNotFound, StoreFailure } from "../error.ts"
import { searchInputs } from "../input.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { EmbeddingState, SearchResult } from "../records.ts"

export class SearchGroup extends HttpApiGroup.make("searches")
  .add(
    HttpApiEndpoint.post("find", "/searches", {
      ...searchInputs.find,
      success: SearchResult,
      error: [InvalidId, SessionNotFound, LocationMissing, LocationUnknown, StoreFailure] as const,
    }).annotate(OpenApi.Identifier, "searches.find"),
    HttpApiEndpoint.post("embed", "/searches/embeddings", {
      ...searchInputs.embed,
      success: EmbeddingState,
      error: [InvalidId, SessionNotFound, LocationMissing, LocationUnknown, StoreFailure] as const,
    }).annotate(OpenApi.Identifier, "searches.embed"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "searches")
  .annotate(OpenApi.Description, groupTexts.searches) {}
