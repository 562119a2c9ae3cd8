/** Sources that a program registers, for every Location or for one: what one hides may come back (SC2, RG1). */
import { Effect, Exit, Scope } from "effect"
import { expect, test } from "vitest"
import { nothingAllowed } from "../../src/host/permissions.ts"
import { makeSamples } from "../../src/host/samples.ts"
import { makeFilePlace } from "../agent/place.ts"
import { probe } from "./sources.ts"

test("[SC2 RG1] a key that is hidden, in one directory or everywhere, is refused there, and the end of what hides it breaks nothing", async () => {
  await using place = await makeFilePlace()
  const { configDirectory, project: directory } = place
  const settings = { configDirectory, timeZone: null, disableProject: true }
  for (const where of [undefined, directory]) {
    const told = Effect.gen(function* () {
      const { registerSource, sample } = yield* makeSamples([], settings, nothingAllowed)
      const hides = yield* Scope.make()
      yield* registerSource("a", probe("program/one", "x").context)
      yield* registerSource("a", probe("program/two", "y").context, where).pipe(Scope.provide(hides))
      const refused = yield* Effect.flip(registerSource("b", probe("program/one", "z").context, where))
      expect(refused).toMatchObject({ _tag: "DuplicateSourceKey", key: "program/one" })
      yield* Scope.close(hides, Exit.void)
      return (yield* sample({ directory, projectRoot: directory }, "build")).context.keys
    })
    expect(await Effect.runPromise(Effect.scoped(told))).toContain("program/one")
  }
})
