/** A smart note that became ready is told to the Session that is spoken to next, once in all of its project (NT1). */
import { Clock, Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { RuntimePorts } from "../session/ports.ts"
import { projectOf } from "./known.ts"

/** Children and hidden work are nobody's to remind. */
export const remindOfNotes = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  session: SessionId,
): Effect.fn.Return<void, StoreFailure> {
  if (!(yield* ports.store.hasReadyNotes())) return
  const row = yield* ports.store.session(session)
  if (row === null || row.kind !== "primary") return
  const { root } = yield* projectOf(ports, row.location)
  yield* ports.store.commit({
    kind: "surface-notes",
    root,
    session,
    time: yield* Clock.currentTimeMillis,
  })
})
