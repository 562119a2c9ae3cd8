/** `asks`: what Sessions wait for somebody to answer, and the answers (PE5). */
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Page } from "@holdfast/schema/page"
import * as HttpApiEndpoint from "../endpoint.ts"
import {
  AnswerRefused,
  AskNotOpen,
  InvalidCursor,
  InvalidId,
  RuleInvalid,
  SessionNotFound,
  StoreFailure,
} from "../error.ts"
import { askInputs } from "../input.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { Ask } from "../records.ts"

const known = [SessionNotFound, InvalidId, StoreFailure] as const

export class AsksGroup extends HttpApiGroup.make("asks")
  .add(
    HttpApiEndpoint.get("list", "/asks", {
      ...askInputs.list,
      success: Page(Ask),
      error: [InvalidCursor, ...known],
    }).annotate(OpenApi.Identifier, "asks.list"),
    HttpApiEndpoint.post("answer", "/asks/:askID", {
      ...askInputs.answer,
      success: HttpApiSchema.NoContent,
      error: [AskNotOpen, AnswerRefused, RuleInvalid, ...known],
    }).annotate(OpenApi.Identifier, "asks.answer"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "asks")
  .annotate(OpenApi.Description, groupTexts.asks) {}
