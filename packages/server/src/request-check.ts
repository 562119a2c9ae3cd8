/**
 * What does not fit the contract, told to whoever sent it.
 *
 * A field that nobody knows is a mistake of the caller, unless the caller was made from a newer
 * contract and says so: then it is something that this server does not support yet (EV1).
 */
import { Effect, type SchemaIssue } from "effect"
import { HttpServerRequest } from "effect/http"
import { type HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { NotSupported } from "@holdfast/protocol/error"
import { unfit } from "@holdfast/protocol/input"
import { RequestCheck } from "@holdfast/protocol/middleware"
import { contractHeader, contractVersion, isAhead } from "@holdfast/protocol/version"
import type { InvalidRequest } from "@holdfast/schema/error"

export const requestCheck = HttpApiMiddleware.layerSchemaErrorTransform(
  RequestCheck,
  Effect.fnUntraced(function* (error: HttpApiError.HttpApiSchemaError) {
    const part = partOf[error.kind]
    // What does not fit on the way out is a defect of ours.
    if (part === null) return yield* Effect.fail(error)
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const field = isAhead(headers[contractHeader]) ? unknownField(error.cause.issue) : null
    return yield* field === null ? unfit(part, error.cause.message) : notSupported(field)
  }),
)

const partOf = {
  Params: "path",
  Query: "query",
  Headers: "headers",
  Payload: "payload",
  Body: null,
  ResponseHeaders: null,
} as const satisfies Record<HttpApiError.HttpApiSchemaError["kind"], InvalidRequest["part"] | null>

const fieldLengthMax = 200

const notSupported = (field: string): NotSupported =>
  new NotSupported({
    field: field.slice(0, fieldLengthMax),
    contract: contractVersion,
    message: `This server speaks version ${contractVersion} of the contract, which has no ${field.slice(0, fieldLengthMax)}. Leave it out, or update the server.`,
  })

/** The first field that the contract does not know, with its way from the top; null if that is not what is wrong. */
export function unknownField(issue: SchemaIssue.Issue, path: readonly PropertyKey[] = []): string | null {
  switch (issue._tag) {
    case "UnexpectedKey":
      return path.map(String).join(".")
    case "Pointer":
      return unknownField(issue.issue, [...path, ...issue.path])
    case "Filter":
    case "Encoding":
      return unknownField(issue.issue, path)
    case "Composite":
    case "AnyOf":
      return issue.issues.map((inner) => unknownField(inner, path)).find((found) => found !== null) ?? null
    default:
      return null
  }
}
