/**
 * What does not fit the contract, told to whoever sent it.
 *
 * A field that nobody knows is a mistake of the caller, unless the caller was made from a newer
 * contract and says so: then it is something that this server does not support yet (EV1).
 */
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { NotSupported } from "@holdfast/protocol/error"
import { RequestCheck } from "@holdfast/protocol/middleware"
import { fieldText, noSuchField, unfit, unknownField } from "@holdfast/protocol/misfit"
import { contractHeader, contractVersion, isAhead } from "@holdfast/protocol/version"
import { InvalidRequest } from "@holdfast/schema/error"

/** Also what an operation takes no part of: a field that nobody reads could be meant (CO3). */
export const requestCheck = Layer.succeed(RequestCheck, (route, { endpoint }) =>
  Effect.andThen(
    Effect.andThen(
      endpoint.query === undefined ? checkNoQuery : Effect.void,
      endpoint.payload.size === 0 ? checkNoPayload : Effect.void,
    ),
    Effect.catch(route, (failure) =>
      Effect.flatMap(judge(failure), (judged) => Effect.fail(judged ?? failure)),
    ),
  ),
)

const checkNoQuery = Effect.gen(function* () {
  const { url, headers } = yield* HttpServerRequest.HttpServerRequest
  const query = url.split("?")[1] ?? ""
  if (query === "") return
  const [field = ""] = new URLSearchParams(query).keys()
  if (isAhead(headers[contractHeader])) return yield* notSupported(field)
  return yield* noSuchField(field)
})

/** What callers send that put a payload into every request. */
const emptyPayload = "{}"

/** By the head alone: what was sent is not read. */
const checkNoPayload = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  if (
    Number(headers["content-length"] ?? 0) > emptyPayload.length ||
    headers["transfer-encoding"] !== undefined
  )
    return yield* new InvalidRequest({
      part: "payload",
      message: "This operation takes no payload. Leave it out.",
    })
})

/** What the caller did wrong, or null: what does not fit on the way out is a defect of ours. */
const judge = Effect.fnUntraced(function* (failure: unknown) {
  if (!HttpApiError.HttpApiSchemaError.is(failure)) return null
  const part = partOf[failure.kind]
  if (part === null) return null
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const { issue } = failure.cause
  const unknown = isAhead(headers[contractHeader]) ? unknownField(issue) : null
  return unknown === null ? unfit(part, issue) : notSupported(fieldText(unknown.path))
})

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
