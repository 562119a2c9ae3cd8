/** Project memory as people ask for it and change it: signed as a person, without secrets (MM1, AU1). */
import { Clock, Effect } from "effect"
import { type InvalidId, type MemoryNotFound, MemoryRefused, type StoreFailure } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import { isAside } from "@holdfast/schema/memory/aside"
import type { MemoryChange, MemoryId, MemorySource, UsedMemory } from "@holdfast/schema/memory/memory"
import type { MemoryDetail, ProjectInfo } from "@holdfast/schema/memory/told"
import type { MemoryList } from "@holdfast/store/port"
import type { RuntimePorts } from "../session/ports.ts"
import type { OwnChange } from "../tools/context/session-memory.ts"
import { historyOfMemory } from "./detail.ts"
import { namedIds, notFound, notShared, type PartnerPlace, resolveIds } from "./given-ids.ts"
import { projectOf } from "./known.ts"
import { masked } from "./masked.ts"
import { refusalText } from "./refusal.ts"

type ChangeFailure = InvalidId | MemoryNotFound | MemoryRefused | StoreFailure

export interface MemoryCalls {
  readonly memories: (
    location: Location,
    list: MemoryList,
  ) => Effect.Effect<readonly UsedMemory[], StoreFailure>
  readonly memoryDetail: (
    location: Location,
    memory: string,
  ) => Effect.Effect<MemoryDetail, InvalidId | MemoryNotFound | StoreFailure>
  /** By a person. All of it or nothing. */
  readonly changeMemory: (location: Location, change: GivenChange) => Effect.Effect<UsedMemory, ChangeFailure>
  readonly projectInfo: (location: Location) => Effect.Effect<ProjectInfo, StoreFailure>
  /** The directory shares the memory of another, or has its own. */
  readonly shareProject: (
    location: Location,
    shares: Location | null,
    /** A directory that parts takes along what was said from it alone. */
    bare?: boolean,
  ) => Effect.Effect<ProjectInfo, MemoryRefused | StoreFailure>
}

/** A change with its ids as they were given. */
export type GivenChange = { [C in OwnChange as C["change"]]: Loose<C> }[OwnChange["change"]]

type Loose<C> = {
  readonly [K in keyof C]: C[K] extends MemoryId | undefined
    ? string
    : C[K] extends readonly MemoryId[]
      ? readonly string[]
      : C[K]
}

export const byPerson: MemorySource = { by: "person", session: null, messages: [] }

export function makeMemoryCalls(ports: RuntimePorts): MemoryCalls {
  const { store } = ports
  const info = Effect.fnUntraced(function* (location: Location) {
    const { root } = yield* projectOf(ports, location)
    const place = yield* store.place(root)
    const origin = place === null || place.settledAt !== null ? null : place.origin
    const alike = origin === null ? [] : yield* store.projects({ origin })
    const { memories } = yield* store.memories(root, { status: "active", limit: countedMax })
    return {
      root,
      shares: place?.shares ?? null,
      copyOf: alike.filter((other) => other.root !== root && !isAside(other)).map((other) => other.root),
      active: memories.length,
    }
  })
  return {
    memories: Effect.fnUntraced(function* (location, list) {
      const { root } = yield* projectOf(ports, location)
      return (yield* store.memories(root, list)).memories
    }),
    memoryDetail: Effect.fnUntraced(function* (location, given) {
      const { root } = yield* projectOf(ports, location)
      const { ids, partner } = yield* resolveIds(store, root, [given])
      const [id] = ids as readonly [MemoryId]
      const place = partner?.root ?? root
      const memory = yield* store.memory(place, id)
      if (partner !== null && memory !== null && !partner.categories.includes(memory.category))
        return yield* notShared([given])
      if (memory === null) return yield* notFound(given)
      const history = yield* historyOfMemory(store, place, id)
      return { memory, history, ...(partner !== null && { project: place }) }
    }),
    changeMemory: Effect.fnUntraced(function* (location, given) {
      const project = yield* projectOf(ports, location, "write")
      const { change, partner } = yield* decodeChange(store, project.root, given)
      const outcome = yield* store.commit({
        kind: "change-memory",
        project,
        time: yield* Clock.currentTimeMillis,
        changes: [masked(ports.masks, change)],
        ...(partner !== null && { partner: partner.key }),
      })
      if (outcome.kind === "refused") {
        const { problem } = outcome
        const ids = namedIds(outcome.ids, partner)
        if (problem === "unknown") return yield* partner === null ? notFound(...ids) : notShared(ids)
        if (problem === "person")
          return yield* Effect.die(new Error("A rule of a person is a person's to turn round."))
        return yield* new MemoryRefused({ code: problem, ids, message: refusalText(outcome, ids) })
      }
      const [made] = outcome.results
      return (yield* store.memory(partner?.root ?? project.root, made?.memory.id as MemoryId)) as UsedMemory
    }),
    projectInfo: info,
    shareProject: Effect.fnUntraced(function* (location, other, bare = false) {
      const { root } = yield* projectOf(ports, location, "write")
      const shares = other === null ? null : (yield* projectOf(ports, other)).root
      const time = yield* Clock.currentTimeMillis
      const outcome = yield* store.commit({
        kind: "settle-project",
        root,
        shares,
        time,
        ...(bare && { bare }),
      })
      if (outcome.kind === "settled") {
        const { parted } = outcome
        return { ...(yield* info(location)), ...(parted !== null && { parted }) }
      }
      const isThere = other === null || (yield* ports.locationExists(other))
      const lacks = isThere ? `no memory of ${shares ?? root} that it could share` : `no directory ${shares}`
      const message = `There is ${lacks}. Nothing was changed.`
      return yield* new MemoryRefused({ code: "no-project", ids: [], message })
    }),
  }
}

/** Memories that are counted for somebody who looks. */
const countedMax = 10_000

/** Nothing that another project shares is replaced by what is written here. */
const decodeChange = Effect.fnUntraced(function* (
  store: RuntimePorts["store"],
  root: string,
  given: GivenChange,
): Effect.fn.Return<
  { readonly change: MemoryChange; readonly partner: PartnerPlace | null },
  InvalidId | MemoryNotFound | StoreFailure
> {
  const source = byPerson
  const words =
    given.change === "write" ? given.supersedes : given.change === "merge" ? given.from : [given.memory]
  const { ids, partner } = yield* resolveIds(store, root, words)
  if (given.change === "write") {
    if (partner !== null) return yield* notFound(...words)
    return { change: { ...given, supersedes: ids, source }, partner }
  }
  if (given.change === "merge") return { change: { ...given, from: ids, source }, partner }
  return { change: { ...given, memory: ids[0] as MemoryId, source } as MemoryChange, partner }
})
