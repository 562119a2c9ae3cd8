/** The profile of the user in a project, and what was noticed since it was written (UP1). */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Store } from "@holdfast/store/port"

/** Observations that one review looks at. */
const observationsMax = 200

export interface Profile {
  readonly profile: readonly string[]
  /** The oldest first. */
  readonly observations: readonly string[]
}

export const readProfile = Effect.fnUntraced(function* (
  store: Pick<Store, "projectFacts">,
  root: string,
): Effect.fn.Return<Profile, StoreFailure> {
  const [written] = yield* store.projectFacts(root, { type: "profile.written", limit: 1 })
  const after = written?.seq ?? 0
  const seen = yield* store.projectFacts(root, { type: "profile.observed", after, limit: observationsMax })
  return {
    profile: written?.fact.type === "profile.written" ? written.fact.lines : [],
    observations: seen
      .toReversed()
      .flatMap(({ fact }) => (fact.type === "profile.observed" ? [fact.text] : [])),
  }
})
