/** `files`: what lies in a Location. Nothing outside of it can be reached, by no path and by no link (PE2). */
import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Page } from "@holdfast/schema/page"
import * as HttpApiEndpoint from "../endpoint.ts"
import {
  InvalidCursor,
  LocationMissing,
  LocationUnknown,
  PathNotFound,
  PathOutside,
  PathRefused,
  StoreFailure,
} from "../error.ts"
import { fileInputs } from "../input.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { FileEntry } from "../records.ts"

/** The header of a file's bytes that says what they are a piece of: a FilePiece as JSON, percent-encoded. */
export const fileHeader = "holdfast-file"

const placed = [
  LocationMissing,
  LocationUnknown,
  PathOutside,
  PathNotFound,
  PathRefused,
  StoreFailure,
] as const
const listed = [InvalidCursor, ...placed] as const

export class FilesGroup extends HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.get("list", "/files", {
      ...fileInputs.list,
      success: Page(FileEntry),
      error: listed,
    }).annotate(OpenApi.Identifier, "files.list"),
    HttpApiEndpoint.get("read", "/file", {
      ...fileInputs.read,
      success: Schema.Uint8Array.pipe(
        HttpApiSchema.asUint8Array({ contentType: "application/octet-stream" }),
      ),
      error: placed,
    }).annotate(OpenApi.Identifier, "files.read"),
    HttpApiEndpoint.get("find", "/files/find", {
      ...fileInputs.find,
      success: Page(FileEntry),
      error: listed,
    }).annotate(OpenApi.Identifier, "files.find"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "files")
  .annotate(OpenApi.Description, groupTexts.files) {}
