/** An extra of a turn fails open: what goes wrong with it is logged, and the turn goes on without (FA2). */
import { Effect } from "effect"

export const extra = <A>(what: string, make: () => A): Effect.Effect<A | null> =>
  Effect.try({ try: make, catch: String }).pipe(
    Effect.catch((why) =>
      Effect.as(Effect.logWarning(`${what} could not be made and was left out: ${why}`), null),
    ),
  )
