/**
 * Registrations: named things that come and go with a scope (RG1, EM2).
 *
 * The last one of a name wins; closing its scope reveals the one before. They are read once per
 * turn, so a change takes effect at the next boundary and wakes nobody (RG3). Nothing here is a
 * cache: what was registered stays until its own scope closes.
 */
import { Effect, type Scope } from "effect"

export interface Registrations<V> {
  readonly register: (name: string, value: V) => Effect.Effect<void, never, Scope.Scope>
  /** The winners, in code unit order of their names: the same on every machine. */
  readonly current: () => readonly (readonly [name: string, value: V])[]
  /** The same with those that a later one hides, each before what hides it: the end of a scope may reveal them. */
  readonly all: () => readonly (readonly [name: string, value: V])[]
}

export function makeRegistrations<V>(): Registrations<V> {
  const stacks = new Map<string, { readonly value: V }[]>()
  const add = (name: string, value: V) => {
    const entry = { value }
    stacks.set(name, [...(stacks.get(name) ?? []), entry])
    return entry
  }
  const remove = (name: string, entry: { readonly value: V }) => {
    const left = (stacks.get(name) ?? []).filter((other) => other !== entry)
    if (left.length === 0) stacks.delete(name)
    else stacks.set(name, left)
  }
  return {
    register: (name, value) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => add(name, value)),
          (entry) => Effect.sync(() => remove(name, entry)),
        ),
      ),
    current: () =>
      [...stacks.keys()].sort().map((name) => [name, (stacks.get(name) as { value: V }[]).at(-1)!.value]),
    all: () =>
      [...stacks.keys()]
        .sort()
        .flatMap((name) => (stacks.get(name) ?? []).map(({ value }) => [name, value] as const)),
  }
}
