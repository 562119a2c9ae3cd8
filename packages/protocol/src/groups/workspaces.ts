/** `workspaces`: projects that see some of each other's memories (WS1). */
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import * as HttpApiEndpoint from "../endpoint.ts"
import {
  LocationMissing,
  LocationUnknown,
  StoreFailure,
  WorkspaceNotFound,
  WorkspaceRefused,
} from "../error.ts"
import { workspaceInputs } from "../input-memory.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { Workspace } from "../records.ts"

const changed = [WorkspaceNotFound, WorkspaceRefused, StoreFailure] as const
const located = [LocationMissing, LocationUnknown, ...changed] as const

export class WorkspacesGroup extends HttpApiGroup.make("workspaces")
  .add(
    HttpApiEndpoint.get("list", "/workspaces", {
      ...workspaceInputs.list,
      success: Schema.Struct({ workspaces: Schema.Array(Workspace) }),
      error: [StoreFailure],
    }).annotate(OpenApi.Identifier, "workspaces.list"),
    HttpApiEndpoint.post("create", "/workspaces", {
      ...workspaceInputs.create,
      success: Workspace,
      error: changed,
    }).annotate(OpenApi.Identifier, "workspaces.create"),
    HttpApiEndpoint.patch("share", "/workspaces/:workspace", {
      ...workspaceInputs.share,
      success: Workspace,
      error: changed,
    }).annotate(OpenApi.Identifier, "workspaces.share"),
    HttpApiEndpoint.post("add", "/workspaces/:workspace/add", {
      ...workspaceInputs.add,
      success: Workspace,
      error: located,
    }).annotate(OpenApi.Identifier, "workspaces.add"),
    HttpApiEndpoint.post("remove", "/workspaces/:workspace/remove", {
      ...workspaceInputs.remove,
      success: Workspace,
      error: located,
    }).annotate(OpenApi.Identifier, "workspaces.remove"),
    HttpApiEndpoint.delete("delete", "/workspaces/:workspace", {
      ...workspaceInputs.delete,
      success: HttpApiSchema.NoContent,
      error: changed,
    }).annotate(OpenApi.Identifier, "workspaces.delete"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "workspaces")
  .annotate(OpenApi.Description, groupTexts.workspaces) {}
