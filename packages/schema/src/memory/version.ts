/**
 * The version of each type of a project's log that this program writes.
 *
 * What `fact/version.ts` says of the facts of a Session holds of these: a published shape is never
 * edited. Apart from the shapes, since the writer of the store loads no effect.
 */
import { liftBy, type Lift } from "../fact/version.ts"
import type { JsonObject } from "../json.ts"
import type { ProjectFact } from "./memory.ts"

export type ProjectFactType = ProjectFact["type"]

export const projectFactVersions: Readonly<Record<ProjectFactType, number>> = {
  "memory.written": 1,
  "memory.seen": 1,
  "memory.updated": 1,
  "memory.archived": 1,
  "memory.restored": 1,
  "memory.merged": 1,
  "smart-note.written": 1,
  "smart-note.updated": 1,
  "smart-note.ready": 1,
  "smart-note.waiting": 1,
  "smart-note.surfaced": 1,
  "smart-note.dismissed": 1,
  "dream.started": 1,
  "dream.settled": 1,
  "document.written": 1,
  "keyfiles.chosen": 1,
  "profile.observed": 1,
  "profile.written": 1,
  "workspace.joined": 1,
  "workspace.shared": 1,
  "workspace.left": 1,
  "sharing.began": 1,
  "sharing.said": 1,
  "sharing.ended": 1,
}

/** Position n - 1 lifts version n; a test holds the next one equal to the version that is written. */
export type ProjectLifts = Partial<Record<ProjectFactType, readonly Lift[]>>

/** A type that never changed has none. */
const lifts: ProjectLifts = {}

/** The fields of a stored fact as today's version has them; null where the version is newer than this program. */
export const liftProjectFields = (
  type: ProjectFactType,
  version: number,
  fields: JsonObject,
  liftsOfTypes: ProjectLifts = lifts,
): JsonObject | null => liftBy(liftsOfTypes[type] ?? [], version, fields)
