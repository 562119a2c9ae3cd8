/** The HTTP contract of Holdfast. Each file is also reachable by name, as `@holdfast/protocol/page`. */
export { HoldfastApi } from "./api.ts"
export {
  CallerRefused,
  ContentTypeRefused,
  failureStatus,
  InternalFailure,
  InvalidCursor,
  InvalidRequest,
  RequestTooLarge,
  RouteNotFound,
  TransportFailure,
  Unauthorized,
  type FailureTag,
} from "./error.ts"
export { Health, HealthGroup } from "./groups/health.ts"
export { CreateSessionInput, SendPromptInput, SessionsGroup } from "./groups/sessions.ts"
export { Authorization, RequestCheck } from "./middleware.ts"
export { Cursor, Page, pageSizeDefault, pageSizeMax } from "./page.ts"
export { TurnRecord } from "./turn.ts"
