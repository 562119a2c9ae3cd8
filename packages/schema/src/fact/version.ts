/**
 * The version of each fact type that this program writes.
 *
 * A published shape is never edited: a change gets the next number here, a reader that lifts the
 * version before it (`lifts`), and a new fence of the store, all held by a test.
 * Nothing here needs effect, since the writer of the store loads none.
 */
import type { FactType } from "../event.ts"
import type { JsonObject } from "../json.ts"

export const factVersions: Readonly<Record<FactType, number>> = {
  "session.created": 1,
  "session.updated": 1,
  "session.moved": 1,
  "session.interrupted": 1,
  "prompt.admitted": 1,
  "prompt.edited": 1,
  "prompt.cancelled": 1,
  "prompt.promoted": 1,
  "notice.admitted": 1,
  "notice.promoted": 1,
  "ask.raised": 1,
  "ask.answered": 1,
  "ask.withdrawn": 1,
  "epoch.started": 1,
  "context.updated": 1,
  "turn.started": 2,
  "turn.settled": 2,
  "part.recorded": 1,
  "call.started": 1,
  "call.planned": 1,
  "call.settled": 1,
  "pass.applied": 2,
  "signal.raised": 1,
  "history.published": 1,
  "limit.learned": 1,
  "cache.warmed": 1,
  "request.probed": 1,
  "message.quarantined": 1,
  "revert.staged": 1,
  "revert.applied": 1,
  "revert.undone": 1,
  "command.started": 1,
  "command.ended": 1,
  "job.settled": 2,
  "note.written": 1,
  "note.changed": 1,
}

/** Turns the fields of one version into those of the next. */
export type Lift = (fields: JsonObject) => JsonObject

/** Position n - 1 lifts version n; a test holds the next one equal to the version that is written. */
export type Lifts = Partial<Record<FactType, readonly Lift[]>>

/** What only got a field that may be absent is read as it is. */
export const same: Lift = (fields) => fields

/** A type that never changed has none. */
const lifts: Lifts = {
  "turn.started": [same],
  "pass.applied": [same],
  "turn.settled": [same],
  "job.settled": [same],
}

/** The fields of a stored fact as today's version has them; null where the version is newer than this program. */
export function liftFields(
  type: FactType,
  version: number,
  fields: JsonObject,
  liftsOfTypes: Lifts = lifts,
): JsonObject | null {
  return liftBy(liftsOfTypes[type] ?? [], version, fields)
}

/** By the steps of one type, of a Session's log or of a project's. */
export function liftBy(steps: readonly Lift[], version: number, fields: JsonObject): JsonObject | null {
  if (version > steps.length + 1) return null
  return steps.slice(version - 1).reduce((older, lift) => lift(older), fields)
}
