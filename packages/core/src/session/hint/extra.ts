/** An extra of a turn fails open: what goes wrong with it is logged, and the turn goes on without (FA2). */
import { Cause, Effect } from "effect"

export const extra = <A>(what: string, make: () => A): Effect.Effect<A | null> =>
  Effect.try({ try: make, catch: String }).pipe(Effect.catch((why) => leftOut(what, why)))

/** One that has to look something up: what it takes longer for, or breaks at, is left out. */
export const extraWithin = <A>(
  what: string,
  timeoutMs: number,
  make: Effect.Effect<A | null, unknown>,
): Effect.Effect<A | null> =>
  Effect.raceFirst(
    make,
    Effect.flatMap(Effect.sleep(timeoutMs), () => Effect.fail(`not within ${timeoutMs} ms`)),
  ).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : leftOut(what, String(Cause.squash(cause))),
    ),
  )

const leftOut = (what: string, why: string): Effect.Effect<null> =>
  Effect.as(Effect.logWarning(`${what} could not be made and was left out: ${why}`), null)
