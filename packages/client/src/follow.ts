/**
 * Following: durable events across cuts of the connection (EV3).
 *
 * The client reconnects by itself nowhere. This helper stands above it: a stream that breaks is
 * opened anew after the last sequence that was seen, so that nothing is missed and nothing comes
 * twice. Waits between attempts grow; so many in a row without an event fail with the last cause.
 * What the server itself refuses ends it at once; the caller's signal ends it without a failure.
 */
import { ClientError } from "./client-error.ts"
import { eitherSignal, endable } from "./endable.ts"
import type { HoldfastClient } from "./generated/holdfast-client.ts"
import type { Event, SessionDeleted } from "./generated/records.ts"
import { attemptsMaxDefault, doubling, isLoss, pause, type RetryOptions } from "./waits.ts"

export interface FollowInput {
  readonly sessionID: string
  /** Only events above this sequence. */
  readonly after?: number
}

/** The last item of a stream whose Session was deleted; it alone has no sequence (EV4). */
export const isDeletion = (event: Event | SessionDeleted): event is SessionDeleted => !("seq" in event)

export const follow = (
  client: Pick<HoldfastClient, "sessions">,
  input: FollowInput,
  options: RetryOptions = {},
): AsyncIterable<Event | SessionDeleted> =>
  endable((stop) => followed(client, input, options, eitherSignal(stop, options.signal)))

async function* followed(
  client: Pick<HoldfastClient, "sessions">,
  { sessionID, after = 0 }: FollowInput,
  { attemptsMax = attemptsMaxDefault, waitMs = doubling }: RetryOptions,
  signal: AbortSignal,
): AsyncGenerator<Event | SessionDeleted, void, undefined> {
  let position = after
  for (let attempt = 0; !signal.aborted;) {
    let loss: unknown = new ClientError({ kind: "transport" }, "The stream ended. The server may be closing.")
    try {
      for await (const event of client.sessions.events({ sessionID, after: position }, { signal })) {
        if (isDeletion(event)) return yield event
        if (event.seq <= position) continue
        attempt = 0
        position = event.seq
        yield event
      }
    } catch (failure) {
      if (signal.aborted) return
      if (!isLoss(failure)) throw failure
      loss = failure
    }
    attempt += 1
    if (attempt >= attemptsMax) throw loss
    await pause(waitMs(attempt), signal)
  }
}
