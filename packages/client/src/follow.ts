/**
 * Following: durable events across cuts of the connection (EV3).
 *
 * The client reconnects by itself nowhere. This helper stands above it: a stream that breaks is
 * opened anew after the last sequence that was seen, so that nothing is missed and nothing comes
 * twice. Waits between attempts grow; so many in a row without an event fail with the last cause.
 * What the server itself refuses ends it at once.
 */
import { ClientError, isClientError } from "./client-error.ts"
import { isStoreFailure } from "./generated/failures.ts"
import type { HoldfastClient } from "./generated/holdfast-client.ts"
import type { Event, SessionDeleted } from "./generated/records.ts"

export interface FollowInput {
  readonly sessionID: string
  /** Only events above this sequence. */
  readonly after?: number
}

export interface FollowOptions {
  /** Ends it, without a failure. */
  readonly signal?: AbortSignal
  /** Attempts in a row that bring nothing; 10 unless given. */
  readonly attemptsMax?: number
  /** Milliseconds before the attempt with this number, counted from 1; they double, up to 5 seconds. */
  readonly waitMs?: (attempt: number) => number
}

const attemptsMaxDefault = 10
const waitMsFirst = 100
const waitMsMax = 5_000

const doubling = (attempt: number): number => Math.min(waitMsMax, waitMsFirst * 2 ** (attempt - 1))

export async function* follow(
  client: Pick<HoldfastClient, "sessions">,
  { sessionID, after = 0 }: FollowInput,
  options: FollowOptions = {},
): AsyncGenerator<Event | SessionDeleted, void, undefined> {
  const { signal, attemptsMax = attemptsMaxDefault, waitMs = doubling } = options
  const call = signal === undefined ? {} : { signal }
  let position = after
  for (let attempt = 0; !isStopped(signal);) {
    let loss: unknown = new ClientError({ kind: "transport" }, "The stream ended. The server may be closing.")
    try {
      for await (const event of client.sessions.events({ sessionID, after: position }, call)) {
        if (!("seq" in event)) return yield event
        if (event.seq <= position) continue
        attempt = 0
        position = event.seq
        yield event
      }
    } catch (failure) {
      if (isStopped(signal)) return
      if (!isLoss(failure)) throw failure
      loss = failure
    }
    attempt += 1
    if (attempt >= attemptsMax) throw loss
    await pause(waitMs(attempt), signal)
  }
}

const isStopped = (signal: AbortSignal | undefined): boolean => signal?.aborted === true

/** Whether asking again may help. */
const isLoss = (failure: unknown): boolean =>
  isClientError(failure)
    ? failure.reason.kind === "transport"
    : isStoreFailure(failure) && ["busy", "full", "unavailable"].includes(failure.code)

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener("abort", done)
  })
