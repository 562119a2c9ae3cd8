/** How long to wait before asking a server again, and which failures are worth it. */
import { isClientError } from "./client-error.ts"
import { isStoreFailure } from "./generated/failures.ts"

export interface RetryOptions {
  /** Ends it. */
  readonly signal?: AbortSignal
  /** Attempts in a row that bring nothing; 10 unless given. */
  readonly attemptsMax?: number
  /** Milliseconds before the attempt with this number, counted from 1; they double, up to 5 seconds. */
  readonly waitMs?: (attempt: number) => number
}

export const attemptsMaxDefault = 10
const waitMsFirst = 100
const waitMsMax = 5_000

export const doubling = (attempt: number): number => Math.min(waitMsMax, waitMsFirst * 2 ** (attempt - 1))

/** Whether asking again may help: the connection broke, or the store was busy or away. */
export const isLoss = (failure: unknown): boolean =>
  isClientError(failure)
    ? failure.reason.kind === "transport"
    : isStoreFailure(failure) && ["busy", "full", "unavailable"].includes(failure.code)

/** Ends early, and without a failure, by the signal. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener("abort", done)
    if (signal?.aborted === true) done()
  })
