/**
 * What a refusal means: status, error type and known texts to one typed failure (TU4, TU5, LL6).
 *
 * Texts carry a source mark: documented, recorded (seen in traffic or quoted in public reports) or
 * assumed. A sentence for people says what to do; the provider's own words follow, cut and without
 * anything that looks like a key.
 */
import { type FailureCode, ProviderFailure } from "../wire.ts"

/** Longest quotation of a provider's answer. */
const quoteCharsMax = 500

export function failureOfAnswer(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
  nowMs: number,
): ProviderFailure {
  const error = parseError(body)
  const code = codeOf(status, error.type, error.message)
  return build(code, status, error.message, retryAfterMs(headers, nowMs))
}

/** An `error` event inside a stream whose status was 200. */
export const failureOfEvent = (type: string, message: string): ProviderFailure =>
  build(codeOf(null, type, message), null, message, null)

/** A failure that the wire itself found. */
export const failureOf = (code: FailureCode, detail: string): ProviderFailure =>
  build(code, null, detail, null)

interface ErrorBody {
  readonly type: string
  readonly message: string
}

/** documented: `{type: "error", error: {type, message}}`. Proxies answer with anything. */
function parseError(body: string): ErrorBody {
  try {
    const value = JSON.parse(body) as { error?: unknown; message?: unknown } | null
    const error = (value?.error ?? value) as { type?: unknown; message?: unknown } | string | null
    if (typeof error === "string") return { type: "", message: error }
    return {
      type: typeof error?.type === "string" ? error.type : "",
      message: typeof error?.message === "string" ? error.message : body,
    }
  } catch {
    // Not JSON: the status still says what kind of refusal it is.
    return { type: "", message: body }
  }
}

/** recorded: what providers of this wire say when a prompt does not fit. */
const overflowTexts =
  /prompt is too long|input is too long|input length and `?max_tokens`? exceed|exceeds? (?:the )?(?:model'?s )?(?:maximum )?context|context[ _-](?:window|length)[^.]{0,40}exceed|maximum context length|too many (?:input )?tokens/i
/** recorded: `Invalid signature in thinking block`, with and without back quotes. */
const signatureTexts =
  /invalid [`'"]?(?:signature|data)[`'"]? in [`'"]?(?:redacted_)?thinking|thinking[`'"]? (?:or [`'"]?redacted_thinking[`'"]? )?blocks? .{0,60}cannot be modified/i
/** recorded: `Your credit balance is too low to access the Anthropic API`; the rest is assumed. */
const quotaTexts =
  /credit balance|billing|insufficient[ _](?:quota|credits?|funds)|usage limits?|spend(?:ing)? limit|exceeded your current quota/i
/** recorded: an answer withheld by a filter. */
const policyTexts = /content (?:filtering|policy)|blocked by .{0,40}(?:filter|policy)/i

/** documented: the error types of the Messages API. */
const codeOfType: Readonly<Record<string, FailureCode>> = {
  invalid_request_error: "invalid_request",
  authentication_error: "authentication",
  billing_error: "quota",
  permission_error: "permission",
  not_found_error: "not_found",
  request_too_large: "request_too_large",
  rate_limit_error: "rate_limit",
  timeout_error: "server_error",
  api_error: "server_error",
  overloaded_error: "overloaded",
}

const codeOfStatus: Readonly<Record<number, FailureCode>> = {
  400: "invalid_request",
  401: "authentication",
  402: "quota",
  403: "permission",
  404: "not_found",
  408: "transport",
  413: "request_too_large",
  422: "invalid_request",
  429: "rate_limit",
  529: "overloaded",
}

function codeOf(status: number | null, type: string, message: string): FailureCode {
  const known = Object.hasOwn(codeOfType, type) ? codeOfType[type] : undefined
  const byStatus =
    status === null ? undefined : (codeOfStatus[status] ?? (status >= 500 ? "server_error" : undefined))
  const code = known ?? byStatus ?? "unknown"
  if (code === "invalid_request" || code === "request_too_large") {
    if (overflowTexts.test(message)) return "context_overflow"
    if (signatureTexts.test(message)) return "signature_rejected"
    if (policyTexts.test(message)) return "content_policy"
  }
  // A limit that only money lifts must not be waited for.
  const refusal =
    code === "invalid_request" || code === "rate_limit" || code === "permission" || code === "unknown"
  return refusal && quotaTexts.test(message) ? "quota" : code
}

const retryable: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "rate_limit",
  "overloaded",
  "server_error",
  "transport",
  "first_byte_timeout",
  "idle_timeout",
  "stream_cut",
  "malformed_stream",
])

const advice: Readonly<Record<FailureCode, string>> = {
  rate_limit: "The provider's rate limit is reached. It is tried again after the wait it asks for.",
  overloaded: "The provider is overloaded. It is tried again after a wait.",
  server_error: "The provider failed on its side. It is tried again after a wait.",
  transport: "The provider could not be reached. Check the network and the base URL.",
  first_byte_timeout:
    "The provider did not begin to answer in time. Try again, or raise the first-byte limit.",
  idle_timeout:
    "The provider stopped sending in the middle of its answer. Try again, or raise the idle limit.",
  stream_cut: "The answer ended before it was complete. It can be tried again.",
  authentication: "The provider does not accept the API key. Check the key configured for this provider.",
  permission: "The API key may not use this model or feature. Ask for access or choose another model.",
  quota: "The account has no credit or quota left. Add credit with the provider or choose another one.",
  not_found: "The provider does not know this model or address. Check the model's name and the base URL.",
  invalid_request: "The provider refused the request as invalid.",
  request_too_large:
    "The request has more bytes than the provider takes. Remove large content from the session.",
  context_overflow: "The request does not fit into the model's context window. It must be reduced first.",
  signature_rejected: "The provider refused reasoning of an earlier answer. It is left out and sent again.",
  content_policy: "The provider's content filter stopped the request. Change what is asked.",
  malformed_stream:
    "The provider sent a stream that cannot be read. If it persists, check proxies and the base URL.",
  not_a_stream: "The answer is not an event stream. Check that the base URL is that of the provider's API.",
  answer_too_large: "The answer is larger than what is accepted. Ask for less at a time.",
  unknown: "The provider refused the request for a reason that is not known here.",
}

function build(
  code: FailureCode,
  status: number | null,
  detail: string,
  waitMs: number | null,
): ProviderFailure {
  const quote = quoteOf(detail)
  const from = status === null ? "" : ` (status ${status})`
  return new ProviderFailure({
    code,
    message: `${advice[code]}${from}${quote === "" ? "" : ` Detail: ${quote}`}`,
    retryable: retryable.has(code),
    retryAfterMs: waitMs,
    status,
  })
}

/** Provider words without anything that looks like a credential, on one line, cut. */
function quoteOf(text: string): string {
  // Cut first with room to spare, so that a huge body costs nothing.
  return text
    .slice(0, 4 * quoteCharsMax)
    .replaceAll(/\b(?:sk|pk|key|token|bearer|api[_-]?key)[-_:= ]+[\w.+/-]{12,}=*/giu, "[hidden]")
    .replaceAll(/[\w+/-]{40,}={0,2}/gu, "[hidden]")
    .replaceAll(/\s+/gu, " ")
    .trim()
    .toWellFormed()
    .slice(0, quoteCharsMax)
}

/** documented: `retry-after` in seconds or as a date; `retry-after-ms` is what SDKs read first. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const milliseconds = headers["retry-after-ms"]?.trim()
  if (milliseconds !== undefined && /^\d+(?:\.\d+)?$/.test(milliseconds))
    return Math.ceil(Number(milliseconds))
  const after = headers["retry-after"]?.trim()
  if (after === undefined || after === "") return null
  if (/^\d+(?:\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1_000)
  // Only a date with letters: a bare negative number would otherwise be read as a year.
  const at = /[a-z]/i.test(after) ? Date.parse(after) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}
