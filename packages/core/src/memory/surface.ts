/**
 * A smart note that became ready is told to the Session that is spoken to next, once in all of its project (NT1).
 * It is an extra: where it cannot be told, the prompt is admitted all the same (FA2).
 */
import { Clock, Effect } from "effect"
import type { SessionId } from "@holdfast/schema/id"
import { extraWithin } from "../session/hint/extra.ts"
import type { RuntimePorts } from "../session/ports.ts"
import { projectOf } from "./known.ts"

const remindMsMax = 1_000

/** Nearly always there is none, and every prompt comes by: a look that breaks is told of by the extra. */
export const remindOfNotes = (ports: RuntimePorts, session: SessionId): Effect.Effect<void> =>
  ports.store.hasReadyNotes().pipe(
    Effect.catchCause(() => Effect.succeed(true)),
    Effect.flatMap((ready) =>
      ready
        ? Effect.asVoid(
            extraWithin({ leftOut: [], ports }, "A note that is due", remindMsMax, surface(ports, session)),
          )
        : Effect.void,
    ),
  )

/** Children and hidden work are nobody's to remind. */
const surface = Effect.fnUntraced(function* (ports: RuntimePorts, session: SessionId) {
  if (!(yield* ports.store.hasReadyNotes())) return null
  const row = yield* ports.store.session(session)
  if (row === null || row.kind !== "primary") return null
  const { root } = yield* projectOf(ports, row.location)
  const time = yield* Clock.currentTimeMillis
  return yield* ports.store.commit({ kind: "surface-notes", root, session, time })
})
