/** What a Session knows of its project: which one it is, and what is remembered of it (MM1). */
import { Clock, Effect } from "effect"
import type { KnownMemory } from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import type { SessionState } from "@holdfast/schema/state/state"
import type { ProjectPlace } from "@holdfast/store/port"
import type { RuntimePorts } from "../session/ports.ts"

/** Memories that are looked at for a window; a Baseline has room for fewer. */
const memoriesMax = 1_000

export const projectOf = (
  { project }: Pick<RuntimePorts, "project">,
  location: Location,
  purpose?: "write",
): Effect.Effect<ProjectPlace, StoreFailure> =>
  project === undefined
    ? Effect.succeed({ root: location.projectRoot, origin: null })
    : project(location, purpose)

/** Null for hidden work of the runtime, which is nobody's to teach (MD1, MM2). */
export const knownMemory = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  { summary }: SessionState,
): Effect.fn.Return<KnownMemory | null, StoreFailure> {
  if (summary.kind === "job") return null
  const { root } = yield* projectOf(ports, summary.location)
  const { project, memories } = yield* ports.store.memories(root, { status: "active", limit: memoriesMax })
  if (project === null) return null
  const now = yield* Clock.currentTimeMillis
  return {
    seq: project.seq,
    epoch: project.epoch,
    memories: memories.filter(({ expiresAt }) => expiresAt === null || expiresAt > now),
  }
})
