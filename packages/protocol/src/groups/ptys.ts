/**
 * `ptys`: terminals of the server (PT1).
 *
 * A WebSocket is one more way to attach, and stands beside the contract: `ticket` makes what its
 * address needs, since a page cannot give a token with it.
 */
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Page } from "@holdfast/schema/page"
import * as HttpApiEndpoint from "../endpoint.ts"
import {
  InvalidCursor,
  InvalidId,
  LocationMissing,
  LocationUnknown,
  PtyEnded,
  PtyNotFound,
  PtyRefused,
  PtyUnavailable,
  StoreFailure,
} from "../error.ts"
import { ptyInputs } from "../input.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { Pty, PtyTicket } from "../records.ts"
import { PtyEvents } from "../sse.ts"

const known = [PtyNotFound, InvalidId] as const

export class PtysGroup extends HttpApiGroup.make("ptys")
  .add(
    HttpApiEndpoint.post("create", "/pty", {
      ...ptyInputs.create,
      success: Pty.pipe(HttpApiSchema.status(201)),
      error: [LocationMissing, LocationUnknown, PtyRefused, PtyUnavailable, StoreFailure],
    }).annotate(OpenApi.Identifier, "ptys.create"),
    HttpApiEndpoint.get("list", "/pty", {
      ...ptyInputs.list,
      success: Page(Pty),
      error: InvalidCursor,
    }).annotate(OpenApi.Identifier, "ptys.list"),
    HttpApiEndpoint.get("get", "/pty/:ptyID", { ...ptyInputs.get, success: Pty, error: known }).annotate(
      OpenApi.Identifier,
      "ptys.get",
    ),
    HttpApiEndpoint.post("resize", "/pty/:ptyID/size", {
      ...ptyInputs.resize,
      success: Pty,
      error: [PtyEnded, ...known],
    }).annotate(OpenApi.Identifier, "ptys.resize"),
    HttpApiEndpoint.post("write", "/pty/:ptyID/input", {
      ...ptyInputs.write,
      success: HttpApiSchema.NoContent,
      error: [PtyRefused, PtyEnded, ...known],
    }).annotate(OpenApi.Identifier, "ptys.write"),
    HttpApiEndpoint.get("attach", "/pty/:ptyID/output", {
      ...ptyInputs.attach,
      success: PtyEvents,
      error: known,
    }).annotate(OpenApi.Identifier, "ptys.attach"),
    /** Answers when every process of it is gone. */
    HttpApiEndpoint.delete("close", "/pty/:ptyID", {
      ...ptyInputs.close,
      success: HttpApiSchema.NoContent,
      error: known,
    }).annotate(OpenApi.Identifier, "ptys.close"),
    HttpApiEndpoint.post("ticket", "/pty/:ptyID/ticket", {
      ...ptyInputs.ticket,
      success: PtyTicket.pipe(HttpApiSchema.status(201)),
      error: known,
    }).annotate(OpenApi.Identifier, "ptys.ticket"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "ptys")
  .annotate(OpenApi.Description, groupTexts.ptys) {}
