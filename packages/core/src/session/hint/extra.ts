/**
 * An extra of a turn fails open: the turn goes on without it, and what went wrong stands in the record that settles the
 * turn and in the log of the process (FA2).
 */
import { Cause, Effect } from "effect"
import type { LeftOut } from "@holdfast/schema/turn"
import type { Masks } from "../../secrets/masks.ts"

/** Who keeps what was left out until the turn settles. */
export interface Keeper {
  leftOut: readonly LeftOut[]
  readonly ports: { readonly masks: Pick<Masks, "text"> }
}

export const extra = <A>(keeper: Keeper, what: string, make: () => A): Effect.Effect<A | null> =>
  Effect.try({ try: make, catch: String }).pipe(Effect.catch((why) => leaveOut(keeper, what, why)))

/** One that has to look something up: what it takes longer for, or breaks at, is left out. */
export const extraWithin = <A>(
  keeper: Keeper,
  what: string,
  timeoutMs: number,
  make: Effect.Effect<A | null, unknown>,
): Effect.Effect<A | null> =>
  Effect.raceFirst(
    make,
    Effect.flatMap(Effect.sleep(timeoutMs), () => Effect.fail(`not within ${timeoutMs} ms`)),
  ).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : leaveOut(keeper, what, String(Cause.squash(cause))),
    ),
  )

/** Of one turn; what is more stands in the log alone. */
const leftOutMax = 8
const problemUnitsMax = 300

/** What went wrong, once, for the record that settles the turn. */
export function takeLeftOut(keeper: Keeper): { readonly leftOut?: readonly LeftOut[] } {
  const { leftOut } = keeper
  keeper.leftOut = []
  return leftOut.length === 0 ? {} : { leftOut }
}

const leaveOut = (keeper: Keeper, what: string, why: string): Effect.Effect<null> =>
  Effect.suspend(() => {
    const problem = keeper.ports.masks.text(why).slice(0, problemUnitsMax).toWellFormed()
    if (keeper.leftOut.length < leftOutMax) keeper.leftOut = [...keeper.leftOut, { extra: what, problem }]
    const log = Effect.logWarning(`${what} could not be made and was left out: ${problem}`)
    // The record of the turn tells it to whoever sees the turn.
    return Effect.as(Effect.annotateLogs(log, "recorded", "turn"), null)
  })
