/** `notes`: reminders of a Session, and of a project with a condition, for people (NT1). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { Page } from "@holdfast/schema/page"
import * as HttpApiEndpoint from "../endpoint.ts"
import {
  InvalidCursor,
  InvalidId,
  LocationMissing,
  LocationUnknown,
  MemoryRefused,
  NoteNotFound,
  SessionNotFound,
  StoreFailure,
} from "../error.ts"
import { noteInputs } from "../input-memory.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { Note } from "../records.ts"

const known = [InvalidId, SessionNotFound, LocationMissing, LocationUnknown, StoreFailure] as const

export class NotesGroup extends HttpApiGroup.make("notes")
  .add(
    HttpApiEndpoint.get("list", "/notes", {
      ...noteInputs.list,
      success: Page(Note),
      error: [InvalidCursor, ...known],
    }).annotate(OpenApi.Identifier, "notes.list"),
    HttpApiEndpoint.post("write", "/notes", {
      ...noteInputs.write,
      success: Note,
      error: [MemoryRefused, NoteNotFound, ...known],
    }).annotate(OpenApi.Identifier, "notes.write"),
    HttpApiEndpoint.patch("update", "/notes/:noteID", {
      ...noteInputs.update,
      success: Note,
      error: [MemoryRefused, NoteNotFound, ...known],
    }).annotate(OpenApi.Identifier, "notes.update"),
    HttpApiEndpoint.post("dismiss", "/notes/:noteID/dismiss", {
      ...noteInputs.dismiss,
      success: Note,
      error: [MemoryRefused, NoteNotFound, ...known],
    }).annotate(OpenApi.Identifier, "notes.dismiss"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "notes")
  .annotate(OpenApi.Description, groupTexts.notes) {}
