/**
 * Retry policy: when an attempt of a turn is made again, and after how long (TU4).
 *
 * Pure; randomness comes in as a number. Waits are bounded: a provider that asks for more than
 * `waitMsMax` ends the turn, with the moment it named, instead of a hidden sleep.
 */
import type { ProviderFailure } from "@holdfast/llm/wire"
import type { Reason } from "@holdfast/schema/turn"

export interface RetryLimits {
  readonly attemptsMax: number
  readonly backoffMs: number
  readonly backoffMsMax: number
  readonly waitMsMax: number
  /** A wait of at least this long is shown as `waiting until`. */
  readonly waitMsVisible: number
  /** Turns opened in a row after a broken stream, without a completed part between them. */
  readonly reopensMax: number
}

export const retryLimits: RetryLimits = {
  attemptsMax: 5,
  backoffMs: 500,
  backoffMsMax: 20_000,
  waitMsMax: 300_000,
  waitMsVisible: 2_000,
  reopensMax: 3,
}

export type RetryPlan =
  | { readonly kind: "retry"; readonly waitMs: number }
  | { readonly kind: "give-up" }
  | { readonly kind: "too-long"; readonly waitMs: number }

/** `attempt` counts from 1; `random` is in [0, 1). */
export function planRetry(
  failure: ProviderFailure,
  attempt: number,
  random: number,
  limits: RetryLimits,
): RetryPlan {
  if (!failure.retryable) return { kind: "give-up" }
  const waitMs = Math.max(backoffMs(attempt, random, limits), failure.retryAfterMs ?? 0)
  if (waitMs > limits.waitMsMax) return { kind: "too-long", waitMs }
  if (attempt >= limits.attemptsMax) return { kind: "give-up" }
  return { kind: "retry", waitMs }
}

/** Doubles with each time, up to a bound, and spread by a fifth either way. */
export function backoffMs(time: number, random: number, limits: RetryLimits): number {
  const backoff = Math.min(limits.backoffMsMax, limits.backoffMs * 2 ** (time - 1))
  return Math.round(backoff * (0.8 + 0.4 * random))
}

/** What a person is told where nothing more is tried by itself. */
export const givenUp = ({ code, message }: Reason, tries: number): Reason => ({
  code,
  message: `${message}${tries > 1 ? ` It was tried ${tries} times.` : ""} Resume to try again.`,
})

/** The same, where the provider asks for a longer wait than is made here. */
export const putOff = ({ code, message }: Reason, waitMs: number): Reason => ({
  code,
  message: `${message} It asks for a wait of ${Math.ceil(waitMs / 60_000)} minutes. Resume when it is over.`,
})
