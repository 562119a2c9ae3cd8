/**
 * Attempts: the same bytes sent until an answer is on record, or no attempt may follow (TU4).
 *
 * A wait is bounded and shown. A key that the provider refuses is asked for once more where it may
 * have changed; it stands in a header, so the request stays the same.
 */
import { Clock, Effect, Random } from "effect"
import { ProviderFailure, type StreamDecoder, type WireResponse } from "@holdfast/llm/wire"
import type { LeaseLost, StoreFailure } from "@holdfast/schema/error"
import type { Attempt, Reason } from "@holdfast/schema/turn"
import { type Answer, hasDurableOutput, resetAttempt, takeEvents } from "./answer.ts"
import { append, type Lead } from "./lead.ts"
import type { ModelSetup } from "./ports.ts"
import { planRetry } from "./retry.ts"

export type AnswerEnd =
  | { readonly kind: "answered" }
  | { readonly kind: "failed"; readonly failure: ProviderFailure }
  | { readonly kind: "wait-too-long"; readonly failure: ProviderFailure; readonly until: number }

export const runAttempts = Effect.fnUntraced(function* (
  answer: Answer,
  setup: ModelSetup,
  attempts: Attempt[],
): Effect.fn.Return<AnswerEnd, StoreFailure | LeaseLost> {
  const { lead } = answer
  let { apiKey } = setup
  let renewals = 0
  for (;;) {
    const failure = yield* runAttempt(answer, setup, apiKey)
    if (failure === null) {
      attempts.push({ failure: null, waitMs: 0 })
      return { kind: "answered" }
    }
    const reason = { code: failure.code, message: failure.message }
    if (hasDurableOutput(answer)) {
      attempts.push({ failure: reason, waitMs: 0 })
      return { kind: "failed", failure }
    }
    const fresh =
      failure.code === "authentication" && renewals++ < renewalsMax ? yield* renew(setup, apiKey) : null
    if (fresh !== null) {
      attempts.push({ failure: reason, waitMs: 0 })
      resetAttempt(answer)
      apiKey = fresh
      continue
    }
    const plan = planRetry(failure, attempts.length + 1, yield* Random.next, lead.ports.limits.retry)
    const waitMs = plan.kind === "give-up" ? (failure.retryAfterMs ?? 0) : plan.waitMs
    attempts.push({ failure: reason, waitMs })
    if (plan.kind === "give-up") return { kind: "failed", failure }
    const now = yield* Clock.currentTimeMillis
    if (plan.kind === "too-long") return { kind: "wait-too-long", failure, until: now + plan.waitMs }
    resetAttempt(answer)
    const { session } = lead
    lead.ports.live.publish({ session, type: "attempt-failed", turn: answer.opened.turn, reason, waitMs })
    yield* waitVisibly(lead, now + waitMs, waitMs, reason)
  }
})

/** How often a turn asks for another key. */
const renewalsMax = 1

const renew = (setup: ModelSetup, refused: string): Effect.Effect<string | null> =>
  setup.renewKey?.(refused) ?? Effect.succeed(null)

const waitVisibly = Effect.fnUntraced(function* (lead: Lead, until: number, waitMs: number, reason: Reason) {
  const visible = waitMs >= lead.ports.limits.retry.waitMsVisible
  if (visible)
    yield* append(lead, [{ type: "session.updated", waiting: { until, reason } }], { settling: true })
  yield* Effect.sleep(waitMs)
  if (visible) yield* append(lead, [{ type: "session.updated", waiting: null }], { settling: true })
})

/** One request. Null when the answer came to its end. */
const runAttempt = (
  answer: Answer,
  setup: ModelSetup,
  apiKey: string,
): Effect.Effect<ProviderFailure | null, StoreFailure | LeaseLost> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { ports, fence } = answer.lead
      if (fence.raised !== null) return yield* Effect.never
      const { placed } = answer.opened
      const response = yield* ports.transport.send({
        url: setup.wire.address(setup.url, setup.target.model),
        headers: setup.wire.headers(apiKey),
        body: placed.body,
        bytes: placed.bytes,
        limits: { firstByteMs: ports.limits.firstByteMs, idleMs: ports.limits.idleMs },
      })
      if (response.status !== 200) return yield* refusedAnswer(setup, response)
      return yield* readAnswer(answer, response, setup.wire.decoder(response.headers["content-type"] ?? ""))
    }),
  ).pipe(
    Effect.catchTag("ProviderFailure", (failure) => Effect.succeed(failure)),
    Effect.map((failure) => failure && withoutKey(failure, apiKey)),
  )

/** Shorter ones are no secrets, and may be words of a sentence. */
const keyLengthMin = 8

/** Some providers quote the key that they refuse (AU1). */
function withoutKey(failure: ProviderFailure, apiKey: string): ProviderFailure {
  if (apiKey.length < keyLengthMin || !failure.message.includes(apiKey)) return failure
  const { code, retryable, retryAfterMs, status } = failure
  const message = failure.message.replaceAll(apiKey, "[hidden]")
  return new ProviderFailure({ code, message, retryable, retryAfterMs, status })
}

const readAnswer = Effect.fnUntraced(function* (
  answer: Answer,
  response: WireResponse,
  decoder: StreamDecoder,
) {
  for (;;) {
    const piece = yield* response.read
    const failure = yield* takeEvents(answer, piece === null ? decoder.end() : decoder.push(piece))
    if (failure !== null) return failure
    if (answer.finish !== null) {
      response.leave()
      return null
    }
    if (piece === null) return cutStream
  }
})

const cutStream = new ProviderFailure({
  code: "stream_cut",
  message: "The provider closed the stream before the answer was complete.",
  retryable: true,
  retryAfterMs: null,
  status: null,
})

const errorBodyBytesMax = 65_536

const refusedAnswer = Effect.fnUntraced(function* (setup: ModelSetup, response: WireResponse) {
  const pieces: Uint8Array[] = []
  let bytes = 0
  while (bytes < errorBodyBytesMax) {
    const piece = yield* response.read
    if (piece === null) break
    pieces.push(piece)
    bytes += piece.length
  }
  const body = Buffer.concat(pieces).subarray(0, errorBodyBytesMax).toString("utf8")
  return setup.wire.failure(response.status, response.headers, body, yield* Clock.currentTimeMillis)
})
