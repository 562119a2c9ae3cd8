/**
 * System Context Registry: the scoped contributors of one Location.
 *
 * Built-in, instruction and plugin sources all enter here and nowhere else (RG4); the composition
 * is read at a boundary and loaded there.
 *
 *   RG1  order is by contribution key, never by time of arrival; closing the scope of a
 *        contribution removes its sources from the next composition.
 *   RG3  there is no way to subscribe: a change here wakes nobody.
 *   RG4  there is no way to see or touch an assembled Baseline.
 */
import { Data, Effect, type Scope } from "effect"
import { combine, findDuplicate, type DuplicateSourceKey, type SystemContext } from "./system-context.ts"

export class DuplicateContribution extends Data.TaggedError("DuplicateContribution")<{
  readonly contribution: string
  readonly message: string
}> {}

export interface SystemContextRegistry {
  /**
   * Adds sources until the scope closes. A taken contribution key, or a source key that another
   * contribution holds, adds nothing (SC2): one contributor cannot break the composition of all.
   */
  contribute(
    contribution: string,
    context: SystemContext,
  ): Effect.Effect<void, DuplicateContribution | DuplicateSourceKey, Scope.Scope>
  /** The composition as it is now. Loads nothing. */
  readonly current: Effect.Effect<SystemContext>
}

/** The empty registry of a Location. */
export function makeRegistry(): SystemContextRegistry {
  const contributions = new Map<string, SystemContext>()

  const add = Effect.fnUntraced(function* (contribution: string, context: SystemContext) {
    if (contributions.has(contribution)) {
      const message = `${contribution} has already contributed`
      return yield* new DuplicateContribution({ contribution, message })
    }
    const duplicate = findDuplicate([...contributions.values(), context])
    if (duplicate !== undefined) return yield* duplicate
    contributions.set(contribution, context)
  })

  return {
    contribute: (contribution, context) =>
      Effect.acquireRelease(add(contribution, context), () =>
        Effect.sync(() => contributions.delete(contribution)),
      ),
    current: Effect.sync(() => combine(inKeyOrder(contributions))),
  }
}

/** Code unit order: the same on every machine, whatever its locale. */
function inKeyOrder(contributions: ReadonlyMap<string, SystemContext>): SystemContext[] {
  return [...contributions.keys()].sort().map((key) => contributions.get(key)!)
}
