/** Handlers of `files`. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { Locations } from "@holdfast/core/caller/locations"
import { type ReadPiece, readPiece } from "@holdfast/core/files/read-file"
import type { InstanceLists } from "@holdfast/core/page/instance-lists"
import { HoldfastApi } from "@holdfast/protocol/api"
import { fileHeader } from "@holdfast/protocol/groups/files"

export const filesHandlers = (locations: Locations, lists: InstanceLists) =>
  HttpApiBuilder.group(HoldfastApi, "files", (handlers) =>
    handlers.handleAll({
      list: ({ query }) => lists.files(query),
      read: ({ query: { directory, ...wanted } }) =>
        locations.at(directory).pipe(
          Effect.flatMap((location) => readPiece(location.directory, wanted)),
          Effect.map(pieceAnswer),
        ),
      find: ({ query }) => lists.found(query),
    }),
  )

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
