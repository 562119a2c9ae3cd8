/**
 * What a refusal of Bedrock means: exception and known texts to one typed failure (TU4, TU5, LL6).
 *
 * documented: the exception is named by a header of the answer, by its body or by its frame; the
 * names differ in case and carry a namespace in front or an address behind.
 */
import { buildFailure, codeOfHttp, refineCode } from "../failure/failure.ts"
import { retryAfterMs } from "../failure/wait.ts"
import { fieldsOf, lookUp, parseFields, textOf } from "../json-fields.ts"
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
const codeOfName: Readonly<Record<string, FailureCode>> = {
  validation: "invalid_request",
  accessdenied: "permission",
  unrecognizedclient: "authentication",
  invalidclienttokenid: "authentication",
  expiredtoken: "authentication",
  expired: "authentication",
  invalidsignature: "authentication",
  signaturedoesnotmatch: "authentication",
  incompletesignature: "authentication",
  missingauthenticationtoken: "authentication",
  notauthorized: "authentication",
  optinrequired: "permission",
  resourcenotfound: "not_found",
  unknownoperation: "not_found",
  throttling: "rate_limit",
  toomanyrequests: "rate_limit",
  requestlimitexceeded: "rate_limit",
  servicequotaexceeded: "quota",
  modelnotready: "overloaded",
  serviceunavailable: "overloaded",
  modeltimeout: "server_error",
  modelstreamerror: "server_error",
  requestentitytoolarge: "request_too_large",
  internalserver: "server_error",
  internalfailure: "server_error",
}

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

const mayBeKnown: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "invalid_request",
  "permission",
  "request_too_large",
])

function codeOf(name: string, status: number | null, words: string): FailureCode {
  const bare = name
    .replace(/[:;,].*$/s, "")
    .replace(/^.*#/s, "")
    .replace(/(?:Exception|Error)$/i, "")
    .toLowerCase()
  const byStatus = codeOfHttp(status, codeOfStatus)
  // documented: an error of the model has the status of its own server.
  const named = bare === "model" ? (byStatus ?? "server_error") : lookUp(codeOfName, bare)
  // recorded: a body that is too large is refused under the name of any invalid request.
  const code = status === 413 ? "request_too_large" : (named ?? byStatus ?? "unknown")
  if (mayBeKnown.has(code)) {
    const said = known.find(([pattern]) => pattern.test(words))
    if (said !== undefined) return said[1]
  }
  return refineCode(code, words)
}
