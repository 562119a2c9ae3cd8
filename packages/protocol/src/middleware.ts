/**
 * What stands before endpoints, by name: the server brings the real thing, a client projection
 * one that only carries transport data (CO6).
 */
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { InvalidRequest, NotSupported, Unauthorized } from "./error.ts"

/** AU1: every endpoint needs the token, as `Authorization: Bearer …`. */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()("holdfast/Authorization", {
  requiredForClient: true,
  security: { bearer: HttpApiSecurity.bearer },
  error: Unauthorized,
}) {}

/** Path, query and payload are checked before a handler sees them; what does not fit is told. */
export class RequestCheck extends HttpApiMiddleware.Service<RequestCheck>()("holdfast/RequestCheck", {
  error: [InvalidRequest, NotSupported],
}) {}
