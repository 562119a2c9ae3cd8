/** The HTTP contract of Holdfast. Each file is also reachable by name, as `@holdfast/protocol/page`. */
export { HoldfastApi } from "./api.ts"
export {
  CallerRefused,
  ContentTypeRefused,
  failureStatus,
  InternalFailure,
  NotSupported,
  RequestTooLarge,
  RouteNotFound,
  TransportFailure,
  Unauthorized,
  type FailureTag,
} from "./error.ts"
export { ConfigGroup } from "./groups/config.ts"
export { EventsGroup } from "./groups/events.ts"
export { FilesGroup } from "./groups/files.ts"
export { HealthGroup } from "./groups/health.ts"
export { LocationsGroup } from "./groups/locations.ts"
export { ModelsGroup } from "./groups/models.ts"
export { AsksGroup } from "./groups/asks.ts"
export { ProvidersGroup } from "./groups/providers.ts"
export { PtysGroup } from "./groups/ptys.ts"
export { WaitAnswer, SessionsGroup } from "./groups/sessions.ts"
export { CreateSessionInput, modelInputs, ptyInputs, SendPromptInput, sessionInputs } from "./input.ts"
export { Authorization, RequestCheck } from "./middleware.ts"
export { DurableEvents, LiveEvents, PtyEvents } from "./sse.ts"
