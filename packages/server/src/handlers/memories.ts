/** Handlers of `memories` and `notes`. What a call of a Session has started changes neither: its agent has tools for it. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Locations } from "@holdfast/core/caller/locations"
import type { GivenChange } from "@holdfast/core/memory/calls"
import type { GivenNote } from "@holdfast/core/memory/note-calls"
import type { Cursors } from "@holdfast/core/page/cursor"
import { makeMemoryLists } from "@holdfast/core/page/memory-lists"
import { judgePeer } from "@holdfast/core/tools/call-tree/peer"
import { MemoryRefused } from "@holdfast/schema/error"
import { SocketRequest } from "../direct-request.ts"
import { groupRoutes, toTheEnd } from "../group-routes.ts"
import type { HostedRuntime } from "../hosted-runtime.ts"

type Request = HttpServerRequest.HttpServerRequest

interface Placed {
  readonly directory?: string
}

export const memoriesHandlers = (runtime: HostedRuntime, locations: Locations, cursors: Cursors) => {
  const lists = makeMemoryLists(runtime, locations, cursors)
  const change = Effect.fnUntraced(function* (
    request: Request,
    directory: string | undefined,
    given: GivenChange,
  ) {
    yield* refuseCalls(request)
    return yield* runtime.changeMemory(yield* locations.at(directory), given)
  })
  return groupRoutes("memories", {
    list: ({ query }) => lists.memories(query),
    get: ({ params, query }) =>
      Effect.flatMap(locations.at(query.directory), (location) =>
        runtime.memoryDetail(location, params.memoryID),
      ),
    write: {
      options: toTheEnd,
      handler: ({ payload, request }) => {
        const { directory, category = null, expiresAt = null, supersedes = [], text } = payload
        return change(request, directory, { change: "write", category, expiresAt, supersedes, text })
      },
    },
    update: {
      options: toTheEnd,
      handler: ({ params, payload: { directory, ...given }, request }) =>
        change(request, directory, { change: "update", memory: params.memoryID, ...given }),
    },
    archive: {
      options: toTheEnd,
      handler: ({ params, payload: { directory, reason = null }, request }) =>
        change(request, directory, { change: "archive", memory: params.memoryID, reason }),
    },
    restore: {
      options: toTheEnd,
      handler: ({ params, payload: { directory }, request }) =>
        change(request, directory, { change: "restore", memory: params.memoryID }),
    },
    merge: {
      options: toTheEnd,
      handler: ({ payload: { directory, memoryIDs, text, category = null }, request }) =>
        change(request, directory, { change: "merge", from: memoryIDs, text, category }),
    },
    project: ({ query }) => Effect.flatMap(locations.at(query.directory), runtime.projectInfo),
    share: {
      options: toTheEnd,
      handler: Effect.fnUntraced(function* ({ payload: { directory, shares, bare }, request }) {
        yield* refuseCalls(request)
        const location = yield* locations.at(directory)
        // It may be gone from the disk: then it is the place of a project that moved here.
        const other = shares === null ? null : { directory: shares, projectRoot: shares }
        const there = shares === null ? null : yield* runtime.locate(shares)
        return yield* runtime.shareProject(location, there ?? other, bare)
      }),
    },
  })
}

export const notesHandlers = (runtime: HostedRuntime, locations: Locations, cursors: Cursors) => {
  const lists = makeMemoryLists(runtime, locations, cursors)
  const change = Effect.fnUntraced(function* (
    request: Request,
    { directory, sessionID }: Placed & { readonly sessionID?: string },
    given: GivenNote,
  ) {
    yield* refuseCalls(request)
    if (sessionID !== undefined) return yield* runtime.changeSessionNote(sessionID, given)
    return yield* runtime.changeProjectNote(yield* locations.at(directory), given)
  })
  return groupRoutes("notes", {
    list: ({ query }) => lists.notes(query),
    write: {
      options: toTheEnd,
      handler: ({ payload: { text, condition, ...place }, request }) =>
        change(request, place, { change: "write", text, ...(condition !== undefined && { condition }) }),
    },
    update: {
      options: toTheEnd,
      handler: ({ params, payload: { directory, sessionID, ...given }, request }) =>
        change(
          request,
          { ...(directory !== undefined && { directory }), ...(sessionID !== undefined && { sessionID }) },
          { change: "update", note: params.noteID, ...given },
        ),
    },
    dismiss: {
      options: toTheEnd,
      handler: ({ params, payload, request }) =>
        change(request, payload, { change: "dismiss", note: params.noteID }),
    },
  })
}

const refuseCalls = Effect.fnUntraced(function* (request: Request): Effect.fn.Return<void, MemoryRefused> {
  if (!(yield* isOfCall(request))) return
  const message =
    "A call of a Session asked for this, and only a person changes memory from outside. An agent has context_memory and context_note."
  return yield* new MemoryRefused({ code: "caller", ids: [], message })
})

/** A request of this process comes from no socket, and is not asked where it is from. */
export const isOfCall = ({ source }: Request): Effect.Effect<boolean> =>
  source instanceof SocketRequest
    ? Effect.map(
        Effect.promise(() => judgePeer(source.peer)),
        (call) => call !== null,
      )
    : Effect.succeed(false)
