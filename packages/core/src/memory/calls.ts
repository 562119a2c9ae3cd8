/** Project memory as people ask for it and change it: signed as a person, without secrets (MM1, AU1). */
import { Clock, Effect, Schema } from "effect"
import { InvalidId, MemoryNotFound, MemoryRefused, type StoreFailure } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import {
  type MemoryChange,
  MemoryId,
  type MemorySource,
  type UsedMemory,
} from "@holdfast/schema/memory/memory"
import type { MemoryDetail, ProjectInfo } from "@holdfast/schema/memory/told"
import type { MemoryList } from "@holdfast/store/port"
import type { RuntimePorts } from "../session/ports.ts"
import type { OwnChange } from "../tools/context/session-memory.ts"
import { historyOfMemory } from "./detail.ts"
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
      copyOf: alike.map((project) => project.root).filter((other) => other !== root),
      active: memories.length,
    }
  })
  return {
    memories: Effect.fnUntraced(function* (location, list) {
      const { root } = yield* projectOf(ports, location)
      return (yield* store.memories(root, list)).memories
    }),
    memoryDetail: Effect.fnUntraced(function* (location, given) {
      const id = yield* memoryId(given)
      const { root } = yield* projectOf(ports, location)
      const memory = yield* store.memory(root, id)
      if (memory === null) return yield* notFound(id)
      return { memory, history: yield* historyOfMemory(store, root, id) }
    }),
    changeMemory: Effect.fnUntraced(function* (location, given) {
      const change = yield* decodeChange(given)
      const project = yield* projectOf(ports, location, "write")
      const outcome = yield* store.commit({
        kind: "change-memory",
        project,
        time: yield* Clock.currentTimeMillis,
        changes: [masked(ports.masks, change)],
      })
      if (outcome.kind === "refused") {
        const { problem, ids } = outcome
        if (problem === "unknown" || problem === "unshared") return yield* notFound(...ids)
        return yield* new MemoryRefused({ code: problem, ids, message: refusalText(problem, ids) })
      }
      const [made] = outcome.results
      return (yield* store.memory(project.root, made?.memory.id as MemoryId)) as UsedMemory
    }),
    projectInfo: info,
    shareProject: Effect.fnUntraced(function* (location, other) {
      const { root } = yield* projectOf(ports, location, "write")
      const shares = other === null ? null : (yield* projectOf(ports, other)).root
      const time = yield* Clock.currentTimeMillis
      const outcome = yield* store.commit({ kind: "settle-project", root, shares, time })
      if (outcome.kind === "settled") return yield* info(location)
      const message = `There is no memory of ${shares ?? root} that it could share. Nothing was changed.`
      return yield* new MemoryRefused({ code: "no-project", ids: [], message })
    }),
  }
}

/** Memories that are counted for somebody who looks. */
const countedMax = 10_000

const decodeId = Schema.decodeUnknownOption(MemoryId)

const memoryId = (given: string): Effect.Effect<MemoryId, InvalidId> => {
  const id = decodeId(given)
  if (id._tag === "Some") return Effect.succeed(id.value)
  const message = `${given.slice(0, 40)} is no id of a memory; they look like m12. holdfast memory list shows them.`
  return Effect.fail(new InvalidId({ value: given, message }))
}

const notFound = (...ids: readonly string[]): MemoryNotFound =>
  new MemoryNotFound({
    memory: ids[0] ?? "",
    message: `This project has no memory ${ids.join(", ")}. holdfast memory list shows them.`,
  })

const decodeChange = Effect.fnUntraced(function* (
  given: GivenChange,
): Effect.fn.Return<MemoryChange, InvalidId> {
  const source = byPerson
  switch (given.change) {
    case "write":
      return { ...given, supersedes: yield* Effect.forEach(given.supersedes, memoryId), source }
    case "merge":
      return { ...given, from: yield* Effect.forEach(given.from, memoryId), source }
    default:
      return { ...given, memory: yield* memoryId(given.memory), source } as MemoryChange
  }
})
