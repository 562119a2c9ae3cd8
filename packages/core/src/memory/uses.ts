/** How often a search told a model of a memory (MM1). A count that cannot be kept keeps nobody from the answer. */
import { Clock, Effect } from "effect"
import type { SearchResult } from "@holdfast/schema/search/found"
import type { Store } from "@holdfast/store/port"

export const countUses = Effect.fnUntraced(function* (
  store: Pick<Store, "commit">,
  root: string,
  { also = [] }: SearchResult,
) {
  const memories = also.flatMap(({ kind, id }) => (kind === "memory" ? [id] : []))
  if (memories.length === 0) return
  const time = yield* Clock.currentTimeMillis
  yield* Effect.ignore(store.commit({ kind: "use-memory", root, memories, time }))
})
