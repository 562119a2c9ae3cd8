/** What a Session knows of its project: which one it is, and what is remembered of it (MM1). */
import { Clock, Effect } from "effect"
import type { KnownMemory } from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import type { DreamTask } from "@holdfast/schema/memory/dream"
import type { Memory } from "@holdfast/schema/memory/memory"
import type { SessionState } from "@holdfast/schema/state/state"
import type { ProjectPlace, Store } from "@holdfast/store/port"
import type { SharedMemory } from "@holdfast/store/workspace"
import { readProfile } from "../dreamer/profile.ts"
import type { RuntimePorts } from "../session/ports.ts"

/** Memories that are looked at for a window, the newest of them; a Baseline has room for fewer. */
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
  const { project, memories, shared } = yield* ports.store.memories(root, {
    status: "active",
    limit: memoriesMax,
    newest: true,
    shared: true,
  })
  if (project === null) return { seq: 0, epoch: 0, scope: "", memories: [] }
  const now = yield* Clock.currentTimeMillis
  const holds = ({ expiresAt }: Memory): boolean => expiresAt === null || expiresAt > now
  const partners = shared?.partners.map((partner) => ({
    ...partner,
    memories: partner.memories.filter(holds),
  }))
  return {
    seq: project.seq,
    epoch: project.epoch,
    scope: scopeOf(project.key, shared),
    memories: memories.filter(holds),
    // Alone in a workspace it sees nothing but its own.
    ...(partners !== undefined && partners.length > 0 && { partners }),
    ...(isEnabled(ports, "key-files") && { keyFiles: yield* chosenFiles(ports.store, root) }),
    ...(isEnabled(ports, "profile") && { profile: (yield* readProfile(ports.store, root)).profile }),
  }
})

/** Whose memories a window may show: another set of members or of categories is another scope (WS1). */
const scopeOf = (key: number, shared: SharedMemory | undefined): string =>
  shared === undefined || shared.partners.length === 0
    ? String(key)
    : `${key} with ${shared.partners.map((partner) => partner.key).join(",")} ${shared.categories.join(",")}`

/** KF1, UP1: what the dreamer is not asked for is neither kept nor shown. */
export const isEnabled = ({ dreamer }: Pick<RuntimePorts, "dreamer">, task: DreamTask): boolean =>
  dreamer?.().tasks.includes(task) === true

const chosenFiles = Effect.fnUntraced(function* (store: Store, root: string) {
  const [chosen] = yield* store.projectFacts(root, { type: "keyfiles.chosen", limit: 1 })
  return chosen?.fact.type === "keyfiles.chosen" ? chosen.fact.files : []
})
