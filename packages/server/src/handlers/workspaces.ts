/** Handlers of `workspaces`. What a call of a Session has started changes none: a person says who sees what. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Locations } from "@holdfast/core/caller/locations"
import type { GivenWorkspaceChange } from "@holdfast/core/memory/workspaces"
import { WorkspaceRefused } from "@holdfast/schema/error"
import { groupRoutes, toTheEnd } from "../group-routes.ts"
import type { HostedRuntime } from "../hosted-runtime.ts"
import { isOfCall } from "./memories.ts"

export const workspacesHandlers = (runtime: HostedRuntime, locations: Locations) => {
  const change = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    workspace: string,
    given: GivenWorkspaceChange,
  ) {
    if (yield* isOfCall(request)) {
      const message = "A call of a Session asked for this, and only a person changes workspaces."
      return yield* new WorkspaceRefused({ code: "caller", workspace, message })
    }
    return yield* runtime.changeWorkspace(workspace, given)
  })
  return groupRoutes("workspaces", {
    list: () => Effect.map(runtime.workspaces(), (workspaces) => ({ workspaces })),
    create: {
      options: toTheEnd,
      handler: ({ payload: { workspace, categories }, request }) =>
        change(request, workspace, { to: "create", ...(categories && { categories }) }),
    },
    share: {
      options: toTheEnd,
      handler: ({ params, payload: { categories }, request }) =>
        change(request, params.workspace, { to: "share", categories }),
    },
    add: {
      options: toTheEnd,
      handler: Effect.fnUntraced(function* ({ params, payload: { directory }, request }) {
        const location = yield* locations.at(directory)
        return yield* change(request, params.workspace, { to: "add", location })
      }),
    },
    remove: {
      options: toTheEnd,
      handler: Effect.fnUntraced(function* ({ params, payload: { directory }, request }) {
        // It may be gone from the disk.
        const gone = directory !== undefined && (yield* runtime.locate(directory)) === null
        const location = gone ? { directory, projectRoot: directory } : yield* locations.at(directory)
        return yield* change(request, params.workspace, { to: "remove", location })
      }),
    },
    delete: {
      options: toTheEnd,
      handler: ({ params, request }) => Effect.asVoid(change(request, params.workspace, { to: "delete" })),
    },
  })
}
