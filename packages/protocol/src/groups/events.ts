/** `events`: what happens in this instance, live (EV2, EV5). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as HttpApiEndpoint from "../endpoint.ts"
import { InvalidId, SessionNotFound, StoreFailure } from "../error.ts"
import { eventInputs } from "../input.ts"
import { RequestCheck } from "../middleware.ts"
import { groupTexts } from "../openapi.ts"
import { LiveEvents } from "../sse.ts"

export class EventsGroup extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("subscribe", "/event", {
      ...eventInputs.subscribe,
      success: LiveEvents,
      error: [SessionNotFound, InvalidId, StoreFailure],
    }).annotate(OpenApi.Identifier, "events.subscribe"),
  )
  .middleware(RequestCheck)
  .annotate(OpenApi.Title, "events")
  .annotate(OpenApi.Description, groupTexts.events) {}
