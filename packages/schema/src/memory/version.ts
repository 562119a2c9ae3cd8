/**
 * The version of each type of a project's log that this program writes.
 *
 * What `fact/version.ts` says of the facts of a Session holds of these: a published shape is never
 * edited. Apart from the shapes, since the writer of the store loads no effect.
 */
import { liftBy, type Lift, same } from "../fact/version.ts"
import type { JsonObject } from "../json.ts"
import type { ProjectFact } from "./memory.ts"

export type ProjectFactType = ProjectFact["type"]

export const projectFactVersions: Readonly<Record<ProjectFactType, number>> = {
  "memory.written": 2,
  "memory.seen": 2,
  "memory.updated": 2,
  "memory.archived": 2,
  "memory.restored": 2,
  "memory.merged": 2,
  "smart-note.written": 2,
  "smart-note.updated": 2,
  "smart-note.ready": 2,
  "smart-note.waiting": 2,
  "smart-note.surfaced": 1,
  "smart-note.dismissed": 2,
  "dream.started": 2,
  "dream.settled": 2,
  "document.written": 2,
  "keyfiles.chosen": 2,
  "profile.observed": 2,
  "profile.written": 2,
  "workspace.joined": 2,
  "workspace.shared": 2,
  "workspace.left": 2,
  "sharing.began": 1,
  "sharing.said": 1,
  "sharing.ended": 1,
}

/** Position n - 1 lifts version n; a test holds the next one equal to the version that is written. */
export type ProjectLifts = Partial<Record<ProjectFactType, readonly Lift[]>>

/** Those that say where something comes from; a type that never changed has none. */
const lifts: ProjectLifts = {
  "memory.written": [same],
  "memory.seen": [same],
  "memory.updated": [same],
  "memory.archived": [same],
  "memory.restored": [same],
  "memory.merged": [same],
  "smart-note.written": [same],
  "smart-note.updated": [same],
  "smart-note.ready": [same],
  "smart-note.waiting": [same],
  "smart-note.dismissed": [same],
  "dream.started": [same],
  "dream.settled": [same],
  "document.written": [same],
  "keyfiles.chosen": [same],
  "profile.observed": [same],
  "profile.written": [same],
  "workspace.joined": [same],
  "workspace.shared": [same],
  "workspace.left": [same],
}

/** The fields of a stored fact as today's version has them; null where the version is newer than this program. */
export const liftProjectFields = (
  type: ProjectFactType,
  version: number,
  fields: JsonObject,
  liftsOfTypes: ProjectLifts = lifts,
): JsonObject | null => liftBy(liftsOfTypes[type] ?? [], version, fields)
