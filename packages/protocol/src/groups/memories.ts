/** `memories`: what is known of a project beyond one Session, for people (MM1). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { Page } from "@holdfast/schema/page"
import * as HttpApiEndpoint from "../endpoint.ts"
import {
  InvalidCursor,
  InvalidId,
  LocationMissing,
  LocationUnknown,
  MemoryNotFound,
  MemoryRefused,
  StoreFailure,
} from "../error.ts"
import { memoryInputs } from "../input-memory.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { Memory, MemoryDetail, ProjectInfo } from "../records.ts"

const located = [LocationMissing, LocationUnknown, StoreFailure] as const
const changed = [InvalidId, MemoryNotFound, MemoryRefused, ...located] as const

export class MemoriesGroup extends HttpApiGroup.make("memories")
  .add(
    HttpApiEndpoint.get("list", "/memories", {
      ...memoryInputs.list,
      success: Page(Memory),
      error: [InvalidCursor, ...located],
    }).annotate(OpenApi.Identifier, "memories.list"),
    HttpApiEndpoint.get("get", "/memories/:memoryID", {
      ...memoryInputs.get,
      success: MemoryDetail,
      error: [InvalidId, MemoryNotFound, ...located],
    }).annotate(OpenApi.Identifier, "memories.get"),
    HttpApiEndpoint.post("write", "/memories", {
      ...memoryInputs.write,
      success: Memory,
      error: changed,
    }).annotate(OpenApi.Identifier, "memories.write"),
    HttpApiEndpoint.patch("update", "/memories/:memoryID", {
      ...memoryInputs.update,
      success: Memory,
      error: changed,
    }).annotate(OpenApi.Identifier, "memories.update"),
    HttpApiEndpoint.post("archive", "/memories/:memoryID/archive", {
      ...memoryInputs.archive,
      success: Memory,
      error: changed,
    }).annotate(OpenApi.Identifier, "memories.archive"),
    HttpApiEndpoint.post("restore", "/memories/:memoryID/restore", {
      ...memoryInputs.restore,
      success: Memory,
      error: changed,
    }).annotate(OpenApi.Identifier, "memories.restore"),
    HttpApiEndpoint.post("merge", "/memories/merge", {
      ...memoryInputs.merge,
      success: Memory,
      error: changed,
    }).annotate(OpenApi.Identifier, "memories.merge"),
    HttpApiEndpoint.get("project", "/project", {
      ...memoryInputs.project,
      success: ProjectInfo,
      error: located,
    }).annotate(OpenApi.Identifier, "memories.project"),
    HttpApiEndpoint.post("share", "/project", {
      ...memoryInputs.share,
      success: ProjectInfo,
      error: [MemoryRefused, ...located],
    }).annotate(OpenApi.Identifier, "memories.share"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "memories")
  .annotate(OpenApi.Description, groupTexts.memories) {}
