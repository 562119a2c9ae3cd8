/** Handlers of `files`. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Locations } from "@holdfast/core/caller/locations"
import { type ReadPiece, readPiece } from "@holdfast/core/files/read-file"
import type { InstanceLists } from "@holdfast/core/page/instance-lists"
import { fileHeader } from "@holdfast/protocol/groups/files"
import { groupRoutes } from "../group-routes.ts"

export const filesHandlers = (locations: Locations, lists: InstanceLists) =>
  groupRoutes("files", {
    list: ({ query }) => lists.files(query),
    read: ({ query: { directory, ...wanted } }) =>
      locations.at(directory).pipe(
        Effect.flatMap((location) => readPiece(location.directory, wanted)),
        Effect.map(pieceAnswer),
      ),
    find: ({ query }) => lists.found(query),
  })

/** Whatever the bytes are, a browser must not take them for a page. */
const pieceAnswer = ({ piece, bytes }: ReadPiece): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(bytes, {
    contentType: "application/octet-stream",
    headers: {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      [fileHeader]: encodeURIComponent(JSON.stringify(piece)),
    },
  })
