/**
 * One exchange with a provider: a request goes out, and its answer comes back as events (TU4, LL6).
 *
 *   send ──status 200──▶ pieces to events, until the finish or the first failure
 *     ├────redirect────▶ a failure that names the new address: the key is not sent there
 *     └───any other────▶ the refusal as a failure
 *
 * Bytes alone are no progress: pings would keep an answer open for ever. So the time without content
 * and the time of the whole answer are looked at with each piece; between two pieces the transport has
 * its idle limit. Nothing is tried again here: retries, credentials and what becomes of the events are
 * the caller's.
 */
import { Clock, Effect, type Scope } from "effect"
import { buildFailure, failureOf } from "./failure/failure.ts"
import type { ProviderFailure, StreamEvent, Transport, Wire, WireRequest, WireResponse } from "./wire.ts"

/** What is read of an answer that is an error. */
export const errorBodyBytesMax = 64 * 1024

export interface ExchangeLimits {
  /** Without content, although bytes come. A model may think for minutes behind pings. */
  readonly contentMs: number
  /** For a whole answer. A slow model may write for an hour. */
  readonly answerMs: number
  /** For the body of a refusal; what came by then is what is told. */
  readonly errorBodyMs: number
}

export const exchangeLimits: ExchangeLimits = {
  contentMs: 600_000,
  answerMs: 7_200_000,
  errorBodyMs: 10_000,
}

export interface Exchange<E> {
  readonly transport: Transport
  readonly wire: Pick<Wire, "decoder" | "failure">
  readonly request: WireRequest
  readonly limits: ExchangeLimits
  /** A refusal as it may be quoted (AU1). It is asked first: a quotation may be cut in the middle of a key. */
  readonly redact: (body: string) => string
  /** Takes the events of one piece; a failure ends the exchange. */
  readonly take: (events: readonly StreamEvent[]) => Effect.Effect<ProviderFailure | null, E>
}

/** Null when the answer came to its end. */
export const exchange = Effect.fnUntraced(function* <E>(
  asked: Exchange<E>,
): Effect.fn.Return<ProviderFailure | null, ProviderFailure | E, Scope.Scope> {
  const { transport, wire, request, limits, redact, take } = asked
  const response = yield* transport.send(request)
  const { status, headers } = response
  if (isRedirect(status)) return redirected(status, headers["location"], request.url)
  const packed = compressionOf(headers)
  if (status !== 200) {
    const said = yield* readRefusal(response, limits.errorBodyMs)
    const body = packed === null ? redact(said) : `The answer is compressed (${packed}).`
    return wire.failure(status, headers, body, yield* Clock.currentTimeMillis)
  }
  if (packed !== null) return failureOf("compressed_answer", `its content-encoding is ${packed}`)
  const decoder = wire.decoder(headers["content-type"] ?? "")
  const startedAt = yield* Clock.currentTimeMillis
  let contentAt = startedAt
  for (;;) {
    const piece = yield* response.read
    const events = piece === null ? decoder.end() : decoder.push(piece)
    const failure = yield* take(events)
    if (failure !== null) return failure
    if (events.at(-1)?.type === "finish") {
      response.leave()
      return null
    }
    if (piece === null) return failureOf("stream_cut", "the stream ended before the answer did")
    const now = yield* Clock.currentTimeMillis
    if (events.some(isContent)) contentAt = now
    const late = findLate(now - startedAt, now - contentAt, limits)
    if (late !== null) return late
  }
})

/** That an answer has begun says nothing yet. */
const isContent = ({ type }: StreamEvent): boolean => type !== "start"

function findLate(answerMs: number, silentMs: number, limits: ExchangeLimits): ProviderFailure | null {
  if (silentMs >= limits.contentMs)
    return failureOf("idle_timeout", `signs of life came, but no content for ${limits.contentMs / 1_000} s`)
  return answerMs >= limits.answerMs
    ? failureOf("answer_timeout", `it was not complete after ${limits.answerMs / 1_000} s`)
    : null
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304

/** Without its query, which may hold a secret. */
function redirected(status: number, location: string | undefined, from: string): ProviderFailure {
  const to = location !== undefined && URL.canParse(location, from) ? new URL(location, from) : null
  const where = to === null ? "it does not say where to" : `the new address is ${to.origin}${to.pathname}`
  return buildFailure("redirected", status, where, null)
}

/** What an answer is packed in although it was asked for as it is; null if it is not. */
function compressionOf(headers: Readonly<Record<string, string>>): string | null {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? ""
  return encoding === "" || encoding === "identity" ? null : encoding
}

/** As much of a refusal as comes in time, also where the rest never does: its status is known. */
const readRefusal = Effect.fnUntraced(function* (
  { read }: Pick<WireResponse, "read">,
  timeMsMax: number,
): Effect.fn.Return<string> {
  let came = Buffer.alloc(0)
  const kept = Effect.tap(read, (piece) =>
    Effect.sync(() => void (came = Buffer.concat(piece === null ? [came] : [came, piece]))),
  )
  yield* readBody({ read: kept }, errorBodyBytesMax).pipe(Effect.timeoutOption(timeMsMax), Effect.ignore)
  return came.subarray(0, errorBodyBytesMax).toString("utf8")
})

/** The bytes of an answer, up to a maximum; `whole` says whether there are no more. */
export const readBody = Effect.fnUntraced(function* (
  response: Pick<WireResponse, "read">,
  bytesMax: number,
): Effect.fn.Return<{ readonly bytes: Buffer; readonly whole: boolean }, ProviderFailure> {
  const pieces: Uint8Array[] = []
  let length = 0
  for (let piece = yield* response.read; piece !== null; piece = yield* response.read) {
    pieces.push(piece)
    length += piece.length
    if (length > bytesMax) return { bytes: Buffer.concat(pieces).subarray(0, bytesMax), whole: false }
  }
  return { bytes: Buffer.concat(pieces), whole: true }
})
