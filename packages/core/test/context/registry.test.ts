import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as surface from "../../src/context/index.ts"
import { initialize, reconcile } from "../../src/context/generation.ts"
import { observe } from "../../src/context/observation.ts"
import { makeRegistry } from "../../src/context/registry.ts"
import { combine } from "../../src/context/system-context.ts"
import { decided, observeNow, probe } from "./sources.ts"

describe("contributions", () => {
  it.effect("[RG1] orders sources by contribution key, not by arrival", () =>
    Effect.gen(function* () {
      const registry = makeRegistry()
      const scope = yield* Scope.make()
      const add = (key: string, ...sources: string[]) =>
        registry
          .contribute(key, combine(sources.map((source) => probe(source, "x").context)))
          .pipe(Scope.provide(scope))
      yield* add("plugin/b", "b/two", "b/one")
      yield* add("core", "z/last")
      yield* add("plugin/B", "upper/case")
      yield* add("plugin/a", "a/one")
      expect((yield* registry.current).keys).toEqual(["z/last", "upper/case", "a/one", "b/two", "b/one"])
    }),
  )

  it.effect("[RG1] orders what stands below together with what was contributed here", () =>
    Effect.gen(function* () {
      const below = [["core", "z/last"] as const, ["plugin/z", "a/first"] as const]
      const registry = makeRegistry(() => below.map(([key, source]) => [key, probe(source, "x").context]))
      yield* registry.contribute("plugin/a", probe("m/middle", "x").context)
      expect((yield* registry.current).keys).toEqual(["z/last", "m/middle", "a/first"])
    }),
  )

  it.effect("[RG1] closing the scope removes the sources at the next boundary", () =>
    Effect.gen(function* () {
      const registry = makeRegistry()
      const stays = yield* Scope.make()
      const leaves = yield* Scope.make()
      yield* registry.contribute("a", probe("test/stays", "s").context).pipe(Scope.provide(stays))
      yield* registry
        .contribute("b", probe("test/leaves", "l", { removal: true }).context)
        .pipe(Scope.provide(leaves))
      const first = decided(initialize(yield* observe(yield* registry.current)))
      if (first.kind !== "ready") throw new Error("not ready")
      yield* Scope.close(leaves, Exit.void)
      const next = yield* observe(yield* registry.current)
      expect(decided(reconcile(next, first.generation.snapshot))).toEqual({
        kind: "updated",
        text: "test/leaves removal l",
        texts: [{ key: "test/leaves", text: "test/leaves removal l" }],
        changes: { "test/leaves": null },
      })
      yield* registry.contribute("b", probe("test/leaves", "again").context).pipe(Scope.provide(stays))
      expect((yield* registry.current).keys).toEqual(["test/stays", "test/leaves"])
    }),
  )

  it.effect("[RG1] two Locations share nothing", () =>
    Effect.gen(function* () {
      const one = makeRegistry()
      const other = makeRegistry()
      yield* one.contribute("a", probe("test/a", "x").context)
      expect((yield* other.current).keys).toEqual([])
    }),
  )

  it.effect("[RG1] the last contribution of a key wins, and closing its scope reveals the one before", () =>
    Effect.gen(function* () {
      const registry = makeRegistry()
      yield* registry.contribute("a", probe("test/a", "x").context)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* registry.contribute("a", probe("test/b", "y").context)
          expect((yield* registry.current).keys).toEqual(["test/b"])
        }),
      )
      expect((yield* registry.current).keys).toEqual(["test/a"])
    }),
  )

  it.effect("[SC2] a source key of another contribution is refused and named", () =>
    Effect.gen(function* () {
      const registry = makeRegistry()
      yield* registry.contribute("a", probe("test/a", "x").context)
      const mixed = combine([probe("test/b", "y").context, probe("test/a", "z").context])
      const refused = yield* Effect.scoped(Effect.flip(registry.contribute("b", mixed)))
      expect(refused).toMatchObject({ _tag: "DuplicateSourceKey", key: "test/a" })
      expect((yield* registry.current).keys).toEqual(["test/a"])
    }),
  )

  it.effect(
    "[SC2 RG1] a source key of a contribution that another hides is refused, for it may come back",
    () =>
      Effect.gen(function* () {
        const registry = makeRegistry()
        const hides = yield* Scope.make()
        yield* registry.contribute("a", probe("test/a", "x").context)
        yield* registry.contribute("a", probe("test/b", "y").context).pipe(Scope.provide(hides))
        const refused = yield* Effect.scoped(
          Effect.flip(registry.contribute("b", probe("test/a", "z").context)),
        )
        expect(refused).toMatchObject({ _tag: "DuplicateSourceKey", key: "test/a" })
        yield* Scope.close(hides, Exit.void)
        expect((yield* registry.current).keys).toEqual(["test/a"])
      }),
  )

  it.effect("[RG1] a contribution may hold again what it held before", () =>
    Effect.gen(function* () {
      const registry = makeRegistry()
      for (const value of ["x", "y", "z"]) yield* registry.contribute("a", probe("test/a", value).context)
      expect((yield* registry.current).keys).toEqual(["test/a"])
    }),
  )
})

describe("what a registry does not do", () => {
  it.effect("[RG3] loads nothing until a boundary observes, and then what holds at that moment", () =>
    Effect.gen(function* () {
      const registry = makeRegistry()
      const source = probe("test/a", "before")
      yield* registry.contribute("a", source.context)
      const context = yield* registry.current
      source.value = "after"
      expect(source.calls).toEqual([])
      expect(decided(initialize(observeNow(context)))).toMatchObject({
        generation: { text: "test/a baseline after" },
      })
      expect(source.calls).toEqual(["load", "baseline"])
    }),
  )

  it.effect("[RG3] offers no way to subscribe", () =>
    Effect.sync(() => expect(Object.keys(makeRegistry())).toEqual(["contribute", "current", "currentOver"])),
  )

  it.effect("[RG4] offers no hook that rewrites a Baseline: the surface is this list", () =>
    Effect.sync(() =>
      expect(Object.keys(surface).sort()).toEqual([
        "ContextDefect",
        "DuplicateSourceKey",
        "EnvironmentFacts",
        "InvalidSourceKey",
        "InvalidTimeZone",
        "absent",
        "combine",
        "dateSource",
        "empty",
        "environmentSource",
        "initialize",
        "loaderTimeoutMs",
        "make",
        "makeRegistry",
        "observe",
        "recallSource",
        "reconcile",
        "replace",
        "singleLine",
        "unavailable",
      ]),
    ),
  )
})
