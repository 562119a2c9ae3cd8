/**
 * System Context Registry: the scoped contributors of one Location.
 *
 * Built-in, instruction and plugin sources all enter here and nowhere else (RG4); the composition
 * is read at a boundary and loaded there.
 *
 *   RG1  order is by contribution key, never by time of arrival; the last contribution of a key
 *        wins, and closing its scope reveals the one before at the next composition.
 *   RG3  there is no way to subscribe: a change here wakes nobody.
 *   RG4  there is no way to see or touch an assembled Baseline.
 */
import { Effect, type Scope } from "effect"
import { makeRegistrations } from "../registrations.ts"
import { combine, findDuplicate, type DuplicateSourceKey, type SystemContext } from "./system-context.ts"

export interface SystemContextRegistry {
  /**
   * Adds sources until the scope closes. A source key that another contribution holds adds nothing
   * (SC2), also one that is hidden now: neither a contributor nor the end of one breaks the composition.
   */
  contribute(
    contribution: string,
    context: SystemContext,
  ): Effect.Effect<void, DuplicateSourceKey, Scope.Scope>
  /** The composition as it is now. Loads nothing. */
  readonly current: Effect.Effect<SystemContext>
  /** The same with other contexts in place of what it stands on; contributions made here still win. */
  readonly currentOver: (
    below: readonly (readonly [contribution: string, context: SystemContext])[],
  ) => Effect.Effect<SystemContext>
}

/** The empty registry of a Location, or one that stands on another's contributions, those that are hidden before what hides them. */
export function makeRegistry(
  below: () => readonly (readonly [contribution: string, context: SystemContext])[] = () => [],
): SystemContextRegistry {
  const contributions = makeRegistrations<SystemContext>()
  type Below = ReturnType<typeof below>
  const winners = (over: Below = []) => new Map([...below(), ...over, ...contributions.current()])
  const currentOver = (over: Below) =>
    Effect.sync(() => {
      const all = winners(over)
      return combine([...all.keys()].sort().map((name) => all.get(name)!))
    })
  return {
    contribute: Effect.fnUntraced(function* (contribution, context) {
      for (const [name, other] of [...below(), ...contributions.all()]) {
        const duplicate = name === contribution ? undefined : findDuplicate([other, context])
        if (duplicate !== undefined) return yield* duplicate
      }
      yield* contributions.register(contribution, context)
    }),
    current: currentOver([]),
    currentOver,
  }
}
