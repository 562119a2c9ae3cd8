/** Ids of memories as people give them: `m12` of the project, or `m12@3` as the memories of another one are shown (WS1, MM3). */
import { Effect, Schema } from "effect"
import { InvalidId, MemoryNotFound, type StoreFailure } from "@holdfast/schema/error"
import { type MemoryCategory, MemoryId } from "@holdfast/schema/memory/memory"
import { partnerId, placeOfMemory } from "@holdfast/schema/memory/partner"
import type { Store } from "@holdfast/store/port"

export interface GivenIds {
  readonly ids: readonly MemoryId[]
  /** The project of the same workspace whose they are; null for the own one. */
  readonly partner: PartnerPlace | null
}

export interface PartnerPlace {
  readonly key: number
  readonly root: string
  /** Of which its memories are shared. */
  readonly categories: readonly MemoryCategory[]
}

/** All of them are of one project, and of one that shares with this. */
export const resolveIds = Effect.fnUntraced(function* (
  store: Pick<Store, "memories">,
  root: string,
  given: readonly string[],
): Effect.fn.Return<GivenIds, InvalidId | MemoryNotFound | StoreFailure> {
  const places = yield* Effect.forEach(given, placeOf)
  const ids = places.map(({ memory }) => memory)
  if (places.every(({ project }) => project === null)) return { ids, partner: null }
  const { project, shared } = yield* store.memories(root, { status: "active", limit: 1, shared: true })
  const keys = new Set(places.map((place) => place.project ?? project?.key ?? null))
  const [key, ...others] = keys
  if (others.length > 0) return yield* ofSeveral(given)
  if (key === project?.key) return { ids, partner: null }
  const partner = shared?.partners.find((one) => one.key === key)
  if (partner === undefined || shared === undefined) return yield* notShared(given)
  return { ids, partner: { key: partner.key, root: partner.root, categories: shared.categories } }
})

/** As they are shown here. */
export const namedIds = (ids: readonly string[], partner: PartnerPlace | null): readonly string[] =>
  partner === null ? ids : ids.map((id) => partnerId(id, partner.key))

export const notFound = (...ids: readonly string[]): MemoryNotFound =>
  new MemoryNotFound({
    memory: ids[0] ?? "",
    message: `This project has no memory ${ids.join(", ")}. holdfast memory list shows them.`,
  })

export const notShared = (ids: readonly string[]): MemoryNotFound =>
  new MemoryNotFound({
    memory: ids[0] ?? "",
    message: `${ids.join(", ")} is not of this project, and no workspace shares it with this one. holdfast workspace list shows what is shared.`,
  })

const ofSeveral = (ids: readonly string[]): InvalidId =>
  new InvalidId({
    value: ids[0] ?? "",
    message: `${ids.join(", ")} are of several projects. Change those of one project at a time.`,
  })

const decodeId = Schema.decodeUnknownOption(MemoryId)
const givenPattern = /^m[1-9][0-9]{0,8}(?:@[1-9][0-9]{0,8})?$/

const placeOf = (
  given: string,
): Effect.Effect<{ readonly memory: MemoryId; readonly project: number | null }, InvalidId> => {
  const { memory, project } = placeOfMemory(given)
  const id = givenPattern.test(given) ? decodeId(memory) : decodeId(null)
  if (id._tag === "Some") return Effect.succeed({ memory: id.value, project })
  const message = `${given.slice(0, 40)} is no id of a memory; they look like m12, and like m12@3 where another project shares them. holdfast memory list shows them.`
  return Effect.fail(new InvalidId({ value: given, message }))
}
