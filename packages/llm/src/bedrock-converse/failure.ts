/**
 * What a refusal of Bedrock means: exception and known texts to one typed failure (TU4, TU5, LL6).
 *
 * documented: the exception is named by a header of the answer, by its body or by its frame; the
 * names differ in case and carry a namespace in front or an address behind.
 */
import { buildFailure, codeOfHttp, codes, refineCode } from "../failure/failure.ts"
import { retryAfterMs } from "../failure/wait.ts"
import { fieldsOf, meaningOf, parseFields, textOf } from "../json-fields.ts"
import type { FailureCode, ProviderFailure, Wire } from "../wire.ts"

/** An answer whose status is not 200. */
export const failureOfAnswer: Wire["failure"] = (status, headers, body, nowMs) => {
  const said = readError(body)
  const name = headers["x-amzn-errortype"] ?? said.name
  const code = codeOf(name, status, said.words)
  return buildFailure(code, status, said.words, retryAfterMs(headers, nowMs))
}

/** An exception inside a stream whose status was 200. */
export function failureOfException(name: string, payload: string): ProviderFailure {
  const said = readError(payload)
  return buildFailure(codeOf(name || said.name, said.status, said.words), null, said.words, null)
}

interface SaidError {
  readonly name: string
  readonly words: string
  /** What the model's own server answered. */
  readonly status: number | null
}

function readError(body: string): SaidError {
  const value = parseFields(body)
  if (value === null) return { name: "", words: body, status: null }
  const error = fieldsOf(value["error"])
  const message = textOf(value["message"]) || textOf(value["Message"]) || textOf(error["message"])
  const original = textOf(value["originalMessage"])
  const status = value["originalStatusCode"]
  return {
    name: textOf(value["__type"]) || textOf(value["code"]),
    words: [message, original === message ? "" : original].filter((text) => text !== "").join(" ") || body,
    status: typeof status === "number" ? status : null,
  }
}

/** documented, without their ending `Exception` and in lower case. */
const codeOfName = meaningOf<FailureCode>({
  invalid_request: "validation",
  permission: "accessdenied optinrequired",
  authentication:
    "unrecognizedclient invalidclienttokenid expiredtoken expired invalidsignature signaturedoesnotmatch incompletesignature missingauthenticationtoken notauthorized",
  not_found: "resourcenotfound unknownoperation",
  rate_limit: "throttling toomanyrequests requestlimitexceeded",
  quota: "servicequotaexceeded",
  overloaded: "modelnotready serviceunavailable",
  server_error: "modeltimeout modelstreamerror internalserver internalfailure",
  request_too_large: "requestentitytoolarge",
})

const codeOfStatus: Readonly<Record<number, FailureCode>> = {
  408: "server_error",
  424: "server_error",
  503: "overloaded",
}

/** Words that say more than the exception. */
const known: readonly (readonly [pattern: RegExp, code: FailureCode])[] = [
  [/api key is valid|security token|bearer token|signature we calculated/i, "authentication"], // recorded
  [/model identifier is invalid/i, "not_found"], // recorded
  [/input tokens exceeded|number of input tokens exceeds/i, "context_overflow"], // recorded
]

const mayBeKnown = codes("invalid_request", "permission", "request_too_large")

function codeOf(name: string, status: number | null, words: string): FailureCode {
  const bare = name
    .replace(/[:;,].*$/s, "")
    .replace(/^.*#/s, "")
    .replace(/(?:Exception|Error)$/i, "")
    .toLowerCase()
  const byStatus = codeOfHttp(status, codeOfStatus)
  // documented: an error of the model has the status of its own server.
  const named = bare === "model" ? (byStatus ?? "server_error") : codeOfName(bare)
  // recorded: a body that is too large is refused under the name of any invalid request.
  const code = status === 413 ? "request_too_large" : (named ?? byStatus ?? "unknown")
  if (mayBeKnown.has(code)) {
    const said = known.find(([pattern]) => pattern.test(words))
    if (said !== undefined) return said[1]
  }
  return refineCode(code, words)
}
