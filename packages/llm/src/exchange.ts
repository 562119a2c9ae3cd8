/**
 * One exchange with a provider: a request goes out, and its answer comes back as events (TU4, LL6).
 *
 *   send ──status 200──▶ pieces to events, until the finish or the first failure
 *     └───any other────▶ the refusal as a failure
 *
 * Nothing is tried again here: retries, credentials and what becomes of the events are the caller's.
 */
import { Clock, Effect, type Scope } from "effect"
import { failureOf } from "./failure/failure.ts"
import type { ProviderFailure, StreamEvent, Transport, Wire, WireRequest, WireResponse } from "./wire.ts"

/** What is read of an answer that is an error. */
export const errorBodyBytesMax = 64 * 1024

export interface Exchange<E> {
  readonly transport: Transport
  readonly wire: Pick<Wire, "decoder" | "failure">
  readonly request: WireRequest
  /** A refusal as it may be quoted (AU1). It is asked first: a quotation may be cut in the middle of a key. */
  readonly redact: (body: string) => string
  /** Takes the events of one piece; a failure ends the exchange. */
  readonly take: (events: readonly StreamEvent[]) => Effect.Effect<ProviderFailure | null, E>
}

/** Null when the answer came to its end. */
export const exchange = Effect.fnUntraced(function* <E>({
  transport,
  wire,
  request,
  redact,
  take,
}: Exchange<E>): Effect.fn.Return<ProviderFailure | null, ProviderFailure | E, Scope.Scope> {
  const response = yield* transport.send(request)
  const { status, headers } = response
  if (status !== 200) {
    const { bytes } = yield* readBody(response, errorBodyBytesMax)
    return wire.failure(status, headers, redact(bytes.toString("utf8")), yield* Clock.currentTimeMillis)
  }
  const decoder = wire.decoder(headers["content-type"] ?? "")
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
  }
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
