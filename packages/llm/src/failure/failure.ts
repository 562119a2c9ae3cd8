/**
 * One closed union of failures for every wire: what a code means, what to do, what may be quoted
 * (TU4, TU5, LL6).
 *
 * A sentence for people says what to do, or only what happened where the runtime may try again: whether
 * it does is told by whoever decides it. The provider's own words follow, cut and without anything that
 * looks like a key or names an account.
 */
import { ProviderFailure } from "../wire.ts"
import * as texts from "./texts.ts"

export type FailureCode = keyof typeof advice

/** Longest quotation of a provider's answer. */
const quoteCharsMax = 500

export function buildFailure(
  code: FailureCode,
  status: number | null,
  detail: string,
  waitMs: number | null,
): ProviderFailure {
  const quote = quoteOf(detail)
  const from = status === null ? "" : ` (status ${status})`
  return new ProviderFailure({
    code,
    message: `${advice[code]}${from}${quote === "" ? "" : ` Detail: ${ended(quote)}`}`,
    retryable: retryable.has(code),
    retryAfterMs: waitMs,
    status,
  })
}

/** Sentences may follow, and a provider's words need not be one. */
const ended = (quote: string): string => (/[.!?…]["'”)]?$/.test(quote) ? quote : `${quote}.`)

/** A failure that a wire itself found. */
export const failureOf = (code: FailureCode, detail: string): ProviderFailure =>
  buildFailure(code, null, detail, null)

/** What a status means to every provider, unless one of them means something else by it. */
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

/** What a status alone tells; undefined if nothing. `own`: what it means to this provider. */
export function codeOfHttp(
  status: number | null,
  own: Readonly<Record<number, FailureCode>> = {},
): FailureCode | undefined {
  if (status === null) return undefined
  return own[status] ?? codeOfStatus[status] ?? (status >= 500 ? "server_error" : undefined)
}

export const codes = (...all: readonly FailureCode[]): ReadonlySet<FailureCode> => new Set(all)

/** What the words tell that status and error type do not. */
export function refineCode(code: FailureCode, words: string): FailureCode {
  if (code === "rate_limit" && texts.says(texts.oversizeRate, words)) return "context_overflow"
  if (mayOverflow.has(code) && texts.says(texts.overflow, words)) return "context_overflow"
  if (mayBeSignature.has(code) && texts.says(texts.signature, words)) return "signature_rejected"
  if (code === "invalid_request" && texts.says(texts.policy, words)) return "content_policy"
  // A limit that only money lifts must not be waited for.
  return mayBeQuota.has(code) && texts.says(texts.quota, words) ? "quota" : code
}

const mayOverflow = codes("invalid_request", "request_too_large", "server_error", "unknown")
const mayBeSignature = codes("invalid_request", "request_too_large", "not_found")
const mayBeQuota = codes("invalid_request", "rate_limit", "permission", "unknown")
const retryable = codes(
  "rate_limit",
  "overloaded",
  "server_error",
  "transport",
  "first_byte_timeout",
  "idle_timeout",
  "stream_cut",
  "malformed_stream",
)

/** Whether a provider, or the way to it, fails so for a while. */
export const isRetryable = (code: string): boolean => (retryable as ReadonlySet<string>).has(code)

/** One closed list: every code has its sentence. */
const advice = {
  rate_limit: "The provider's rate limit is reached.",
  overloaded: "The provider is overloaded.",
  server_error: "The provider failed on its side.",
  transport: "The provider could not be reached. Check the network and the base URL.",
  first_byte_timeout: "The provider did not begin to answer in time.",
  idle_timeout: "The provider stopped sending in the middle of its answer.",
  stream_cut: "The answer broke off before it was complete.",
  authentication: "The provider does not accept the API key. Check the key configured for this provider.",
  permission: "The API key may not use this model or feature. Ask for access or choose another model.",
  quota: "The account has no credit or quota left. Add credit with the provider or choose another one.",
  not_found: "The provider does not know this model or address. Check the model's name and the base URL.",
  invalid_request: "The provider refused the request as invalid.",
  request_too_large:
    "The request has more bytes than the provider takes. Remove large content from the session.",
  context_overflow: "The request does not fit into the model's context window.",
  signature_rejected: "The provider refused reasoning of an earlier answer.",
  content_policy: "The provider's content filter stopped the request. Change what is asked.",
  malformed_stream:
    "The provider sent a stream that cannot be read. If it persists, check proxies and the base URL.",
  not_a_stream: "The answer is not an event stream. Check that the base URL is that of the provider's API.",
  compressed_answer:
    "The answer is compressed although it was asked for as it is. Check the proxies between here and the provider, and the base URL.",
  redirected:
    "The base URL redirects to another address. Requests carry the key, so they are not sent on: if the new address is right, configure it as the base URL.",
  answer_timeout:
    "The answer took longer than one attempt may take. What came of it is kept; resume to go on.",
  answer_too_large: "The answer is larger than what is accepted. Ask for less at a time.",
  unknown: "The provider refused the request for a reason that is not known here.",
}

/** Provider words without anything that looks like a credential or an account, on one line, cut. */
function quoteOf(text: string): string {
  // Cut first with room to spare, so that a huge body costs nothing.
  return text
    .slice(0, 4 * quoteCharsMax)
    .replaceAll(/\b(?:sk|pk|key|token|bearer|api[_-]?key)[-_:= ]+[\w.+/*-]{12,}=*/giu, "[hidden]")
    .replaceAll(/\b(?:org|proj|user|acct|account|req)[-_][a-z0-9]{6,}\b/giu, "[hidden]")
    .replaceAll(/[\w+/-]{40,}={0,2}/gu, "[hidden]")
    .replaceAll(/\s+/gu, " ")
    .trim()
    .toWellFormed()
    .slice(0, quoteCharsMax)
}
