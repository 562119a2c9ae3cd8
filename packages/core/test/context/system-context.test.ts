import { Effect, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { initialize } from "../../src/context/generation.ts"
import {
  combine,
  DuplicateSourceKey,
  empty,
  InvalidSourceKey,
  make,
  type SystemContext,
} from "../../src/context/system-context.ts"
import { decided, observeNow, probe, thrownBy } from "./sources.ts"

const numbered = (key: string): SystemContext =>
  make({
    key,
    codec: Schema.Struct({ count: Schema.Finite }),
    load: Effect.succeed({ count: 3 }),
    baseline: ({ count }) => `count ${count}`,
    update: ({ count }) => `count now ${count}`,
  })

describe("construction", () => {
  test("[SC1] sources of different value types compose and keep their own codecs", () => {
    const context = combine([numbered("test/number"), probe("test/text", "hello").context])
    expect(decided(initialize(observeNow(context)))).toEqual({
      kind: "ready",
      generation: {
        text: "count 3\n\ntest/text baseline hello",
        snapshot: { "test/number": { value: { count: 3 } }, "test/text": { value: "hello" } },
      },
    })
  })

  test("[SC1] stores what the codec encodes, not the value itself", () => {
    const context = make({
      key: "test/encoded",
      codec: Schema.FiniteFromString,
      load: Effect.succeed(12),
      baseline: (value) => (value + 1).toString(),
      update: (value) => value.toString(),
    })
    expect(decided(initialize(observeNow(context)))).toEqual({
      kind: "ready",
      generation: { text: "13", snapshot: { "test/encoded": { value: "12" } } },
    })
  })

  test("[SC1] shows nothing of a composition but its keys", () =>
    expect(Object.keys(numbered("test/number"))).toEqual(["keys"]))

  test.each([
    "",
    "date",
    "/date",
    "core/",
    "Core/date",
    "core/Date",
    "core//date",
    "core/date/x",
    "1a/b",
    "a/b\n",
  ])("[SC2] key %j fails at construction", (key) => {
    const thrown = thrownBy(() => numbered(key))
    expect(thrown).toBeInstanceOf(InvalidSourceKey)
    expect(thrown).toMatchObject({ _tag: "InvalidSourceKey", key })
  })

  test.each(["core/date", "a/0", "plug-in/x.y_z-1"])("[SC2] key %j is well formed", (key) =>
    expect(numbered(key).keys).toEqual([key]),
  )
})

describe("composition", () => {
  test("[SC2] a duplicate key fails at once and is named", () => {
    const nested = combine([numbered("test/b"), numbered("test/a")])
    const thrown = thrownBy(() => combine([numbered("test/a"), nested]))
    expect(thrown).toBeInstanceOf(DuplicateSourceKey)
    expect(thrown).toMatchObject({ _tag: "DuplicateSourceKey", key: "test/a" })
    expect((thrown as DuplicateSourceKey).message).toContain("test/a")
  })

  test("[SC3] preserves caller order, through nested compositions too", () => {
    const inner = combine([numbered("z/one"), numbered("a/two")])
    expect(combine([numbered("m/three"), inner, empty, numbered("b/four")]).keys).toEqual([
      "m/three",
      "z/one",
      "a/two",
      "b/four",
    ])
  })

  test("[SC14] a composition without sources has an empty Baseline and an empty snapshot", () => {
    for (const context of [empty, combine([]), combine([empty, empty])]) {
      expect(decided(initialize(observeNow(context)))).toEqual({
        kind: "ready",
        generation: { text: "", snapshot: {} },
      })
    }
  })
})
