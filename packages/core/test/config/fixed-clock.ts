/** A clock that stands still, for what is due at a moment. */
import { Clock, Duration, Effect } from "effect"

export function onClock<A, E>(effect: Effect.Effect<A, E>, ms: number): Effect.Effect<A, E> {
  const now = () => ms
  const nanos = () => BigInt(ms) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => Effect.die(`nobody sleeps here: ${Duration.toMillis(duration)}`),
  }
  return Effect.provideService(effect, Clock.Clock, clock)
}
