import type { ContextSnapshot } from "@holdfast/schema/context"
import type { Json } from "@holdfast/schema/json"
import { Effect, Result, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { initialize, reconcile, replace } from "../../src/context/generation.ts"
import type { ContextDefect } from "../../src/context/observation.ts"
import { absent, combine, empty, make, unavailable } from "../../src/context/system-context.ts"
import { decided, observeNow, probe, type Probe } from "./sources.ts"

const together = (...probes: Probe[]) => combine(probes.map(({ context }) => context))
const stored = (value: Json, removal?: string) => (removal === undefined ? { value } : { value, removal })

describe("initialize", () => {
  test("[SC4] yields baseline text and snapshot, with removal text where there is a renderer", () => {
    const context = together(probe("test/b", "1", { removal: true }), probe("test/a", "2"))
    expect(decided(initialize(observeNow(context)))).toEqual({
      kind: "ready",
      generation: {
        text: "test/b baseline 1\n\ntest/a baseline 2",
        snapshot: { "test/b": stored("1", "test/b removal 1"), "test/a": stored("2") },
      },
    })
  })

  test("[SC4] names every unavailable key and renders nothing", () => {
    const probes = [probe("test/a", unavailable), probe("test/b", "1"), probe("test/c", unavailable)]
    expect(decided(initialize(observeNow(together(...probes))))).toEqual({
      kind: "blocked",
      keys: ["test/a", "test/c"],
    })
    expect(probes.flatMap(({ calls }) => calls)).toEqual(["load", "load", "load"])
  })

  test("[SC8] an absent source does not block and leaves nothing behind", () =>
    expect(decided(initialize(observeNow(together(probe("test/a", absent), probe("test/b", "1")))))).toEqual({
      kind: "ready",
      generation: { text: "test/b baseline 1", snapshot: { "test/b": stored("1") } },
    }))

  test("[SC3] same values give the same bytes", () => {
    const run = () =>
      JSON.stringify(decided(initialize(observeNow(together(probe("test/b", "1"), probe("test/a", "2"))))))
    expect(run()).toBe(run())
  })
})

const unchanged = { kind: "unchanged" }

const cases: readonly {
  readonly title: string
  readonly now: readonly Probe[]
  readonly snapshot: ContextSnapshot
  readonly expected: unknown
}[] = [
  {
    title: "[SC5] says nothing about equal values",
    now: [probe("test/a", "1")],
    snapshot: { "test/a": stored("1") },
    expected: unchanged,
  },
  {
    title: "[SC6] a key missing from the snapshot gives its baseline text",
    now: [probe("test/a", "1"), probe("test/new", "2", { removal: true })],
    snapshot: { "test/a": stored("1") },
    expected: {
      kind: "updated",
      text: "test/new baseline 2",
      texts: [{ key: "test/new", text: "test/new baseline 2" }],
      changes: { "test/new": stored("2", "test/new removal 2") },
    },
  },
  {
    title: "[SC6] all changes at one boundary make one text, in composition order, departures last by key",
    now: [probe("test/z", "2", { removal: true }), probe("test/same", "0"), probe("test/a", "1")],
    snapshot: {
      "test/gone-b": stored("x", "b is gone"),
      "test/same": stored("0"),
      "test/z": stored("1", "old"),
      "test/gone-a": stored("y", "a is gone"),
    },
    expected: {
      kind: "updated",
      text: "test/z update 2\n\ntest/a baseline 1\n\na is gone\n\nb is gone",
      texts: [
        { key: "test/z", text: "test/z update 2" },
        { key: "test/a", text: "test/a baseline 1" },
        { key: "test/gone-a", text: "a is gone" },
        { key: "test/gone-b", text: "b is gone" },
      ],
      changes: {
        "test/z": stored("2", "test/z removal 2"),
        "test/a": stored("1"),
        "test/gone-a": null,
        "test/gone-b": null,
      },
    },
  },
  {
    title: "[SC8] unavailable keeps the stored value and emits nothing",
    now: [probe("test/a", unavailable)],
    snapshot: { "test/a": stored("1", "a is gone") },
    expected: unchanged,
  },
  {
    title: "[SC8] unavailable leaves the updates of others alone",
    now: [probe("test/a", unavailable), probe("test/b", "2")],
    snapshot: { "test/a": stored("1"), "test/b": stored("1") },
    expected: {
      kind: "updated",
      text: "test/b update 2",
      texts: [{ key: "test/b", text: "test/b update 2" }],
      changes: { "test/b": stored("2") },
    },
  },
  {
    title: "[SC8] a source never admitted is left out until it loads",
    now: [probe("test/a", unavailable), probe("test/b", "1")],
    snapshot: { "test/b": stored("1") },
    expected: unchanged,
  },
  {
    title: "[SC8] a loaded absence emits the stored removal text and leaves the snapshot",
    now: [probe("test/a", absent, { removal: true })],
    snapshot: { "test/a": stored("1", "a is gone") },
    expected: {
      kind: "updated",
      text: "a is gone",
      texts: [{ key: "test/a", text: "a is gone" }],
      changes: { "test/a": null },
    },
  },
  {
    title: "[SC8] an absence never admitted says nothing",
    now: [probe("test/a", absent)],
    snapshot: {},
    expected: unchanged,
  },
  {
    title: "[SC9] a loaded absence without stored removal text is a replacement",
    now: [probe("test/a", absent), probe("test/b", "1")],
    snapshot: { "test/a": stored("1"), "test/b": stored("1") },
    expected: {
      kind: "replacement-ready",
      generation: { text: "test/b baseline 1", snapshot: { "test/b": stored("1") } },
    },
  },
  {
    title: "[SC9] a source that left emits its stored removal text",
    now: [],
    snapshot: { "test/a": stored("1", "a is gone") },
    expected: {
      kind: "updated",
      text: "a is gone",
      texts: [{ key: "test/a", text: "a is gone" }],
      changes: { "test/a": null },
    },
  },
  {
    title: "[SC9] a source that left without stored removal text is a replacement",
    now: [probe("test/b", "2")],
    snapshot: { "test/a": stored("1"), "test/b": stored("1"), "test/c": stored("1", "c is gone") },
    expected: {
      kind: "replacement-ready",
      generation: { text: "test/b baseline 2", snapshot: { "test/b": stored("2") } },
    },
  },
  {
    title: "[SC10] a stored value that does not decode is a replacement",
    now: [probe("test/a", "1"), probe("test/b", "1")],
    snapshot: { "test/a": stored({ old: true }), "test/b": stored("1") },
    expected: {
      kind: "replacement-ready",
      generation: {
        text: "test/a baseline 1\n\ntest/b baseline 1",
        snapshot: { "test/a": stored("1"), "test/b": stored("1") },
      },
    },
  },
  {
    title: "[SC10] so it is while the source is absent, removal text or not",
    now: [probe("test/a", absent)],
    snapshot: { "test/a": stored(7, "a is gone") },
    expected: { kind: "replacement-ready", generation: { text: "", snapshot: {} } },
  },
  {
    title: "[SC11] a replacement is blocked while an admitted source is unavailable",
    now: [probe("test/a", "1"), probe("test/b", unavailable), probe("test/new", unavailable)],
    snapshot: { "test/a": stored(7), "test/b": stored("1") },
    expected: { kind: "replacement-blocked", keys: ["test/b"] },
  },
  {
    title: "[SC11] an incompatible source that is itself unavailable blocks its replacement",
    now: [probe("test/a", unavailable), probe("test/b", "2")],
    snapshot: { "test/a": stored(7), "test/b": stored("1") },
    expected: { kind: "replacement-blocked", keys: ["test/a"] },
  },
]

describe("reconcile", () => {
  test.each(cases)("$title", ({ now, snapshot, expected }) =>
    expect(decided(reconcile(observeNow(together(...now)), snapshot))).toEqual(expected),
  )

  test("[SC14] an empty composition over an empty snapshot is unchanged", () =>
    expect(decided(reconcile(observeNow(empty), {}))).toEqual(unchanged))
})

describe("change", () => {
  const record = (value: Json, codec: Schema.Codec<Json, Json> = Schema.Json) =>
    make({
      key: "test/json",
      codec,
      load: Effect.succeed(value),
      baseline: () => "same",
      update: () => "same",
    })
  const outcome = (before: Json, after: Json) =>
    decided(reconcile(observeNow(record(after)), { "test/json": { value: before } })).kind

  test.each([
    [
      { a: 1, b: [1, { c: null }] },
      { b: [1, { c: null }], a: 1 },
    ],
    [0, -0],
    [[], []],
    ["1", "1"],
  ])("[SC7] %j equals %j", (before, after) => expect(outcome(before, after)).toBe("unchanged"))

  test.each<[Json, Json]>([
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: 1, b: 1 }, { a: 1 }],
    [{ a: 1 }, { b: 1 }],
    [{}, []],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    ["1", 1],
    [null, {}],
    [{ a: null }, {}],
    [{ constructor: 1 }, { a: 1 }],
    [JSON.parse('{"__proto__":{}}'), { a: 1 }],
  ])("[SC7] %j differs from %j although the rendered text is the same", (before, after) =>
    expect(outcome(before, after)).toBe("updated"),
  )

  test("[SC7] a stored value is compared as the current codec encodes it", () => {
    const codec = Schema.Struct({ kept: Schema.String })
    const context = make({
      key: "test/json",
      codec,
      load: Effect.succeed({ kept: "k" }),
      baseline: () => "b",
      update: () => "u",
    })
    const snapshot = { "test/json": { value: { kept: "k", dropped: "d" } } }
    expect(decided(reconcile(observeNow(context), snapshot))).toEqual({ kind: "unchanged" })
  })

  test.each([
    { title: "none for an equal value", value: "1", snapshot: { "test/a": stored("1") }, calls: [] },
    {
      title: "update and removal for a changed one",
      value: "2",
      snapshot: { "test/a": stored("1") },
      calls: ["update", "removal"],
    },
    { title: "baseline and removal for a new one", value: "1", snapshot: {}, calls: ["baseline", "removal"] },
    {
      title: "no update text for a replacement",
      value: "2",
      snapshot: { "test/a": stored(7) },
      calls: ["baseline", "removal"],
    },
    {
      title: "none for an absence",
      value: absent,
      snapshot: { "test/a": stored("1", "gone") },
      calls: [],
    },
  ] as const)("[SC7] runs only the renderers needed: $title", ({ value, snapshot, calls }) => {
    const source = probe("test/a", value, { removal: true })
    decided(reconcile(observeNow(source.context), snapshot))
    expect(source.calls).toEqual(["load", ...calls])
  })

  test("[SC7] renders nothing for a blocked replacement", () => {
    const source = probe("test/a", "2", { removal: true })
    const context = together(source, probe("test/b", unavailable))
    decided(reconcile(observeNow(context), { "test/a": stored(7), "test/b": stored("1") }))
    expect(source.calls).toEqual(["load"])
  })

  test("[SC12] the update renderer is given the newly effective value and nothing else", () => {
    const given: unknown[][] = []
    const context = make({
      key: "test/a",
      codec: Schema.String,
      load: Effect.succeed("new"),
      baseline: () => "b",
      update: (...values) => {
        given.push(values)
        return "u"
      },
    })
    decided(reconcile(observeNow(context), { "test/a": stored("old") }))
    expect(given).toEqual([["new"]])
  })
})

describe("replace", () => {
  test("[SC11] builds a fresh generation although nothing changed", () =>
    expect(decided(replace(observeNow(together(probe("test/a", "1"))), { "test/a": stored("1") }))).toEqual({
      kind: "replacement-ready",
      generation: { text: "test/a baseline 1", snapshot: { "test/a": stored("1") } },
    }))

  test("[SC11] is blocked, with the keys, while a previously admitted source is unavailable", () =>
    expect(
      decided(
        replace(observeNow(together(probe("test/a", unavailable), probe("test/b", unavailable))), {
          "test/b": stored("1"),
        }),
      ),
    ).toEqual({ kind: "replacement-blocked", keys: ["test/b"] }))

  test("[SC8] leaves out a source never admitted until it loads", () =>
    expect(
      decided(replace(observeNow(together(probe("test/a", unavailable), probe("test/b", "1"))), {})),
    ).toEqual({
      kind: "replacement-ready",
      generation: { text: "test/b baseline 1", snapshot: { "test/b": stored("1") } },
    }))
})

describe("renderer defects", () => {
  const defectOf = (result: Result.Result<unknown, ContextDefect>) => Result.getOrThrow(Result.flip(result))
  const rendering = (texts: { baseline?: string; update?: string; removal?: string }) =>
    make({
      key: "test/bad",
      codec: Schema.String,
      load: Effect.succeed("now"),
      baseline: () => texts.baseline ?? "fine",
      update: () => texts.update ?? "fine",
      removal: () => texts.removal ?? "fine",
    })
  const snapshot = { "test/bad": stored("before") }

  test.each(["", " \n\t"])("[SC13] an empty text %j names the source and the renderer", (blank) => {
    const defects = [
      initialize(observeNow(rendering({ baseline: blank }))),
      reconcile(observeNow(rendering({ update: blank })), snapshot),
      reconcile(observeNow(rendering({ removal: blank })), snapshot),
      replace(observeNow(rendering({ baseline: blank })), snapshot),
    ].map(defectOf)
    expect(defects.map(({ _tag, key, renderer }) => [_tag, key, renderer])).toEqual([
      ["ContextDefect", "test/bad", "baseline"],
      ["ContextDefect", "test/bad", "update"],
      ["ContextDefect", "test/bad", "removal"],
      ["ContextDefect", "test/bad", "baseline"],
    ])
    expect(defects[1]!.message).toBe("Context Source test/bad: its update renderer returned an empty text")
  })

  test("[SC13] so does a renderer that throws", () => {
    const context = make({
      key: "test/bad",
      codec: Schema.String,
      load: Effect.succeed("now"),
      baseline: () => {
        throw new Error("no template")
      },
      update: () => "fine",
    })
    const defect = defectOf(initialize(observeNow(context)))
    expect(defect).toMatchObject({ _tag: "ContextDefect", key: "test/bad", renderer: "baseline" })
    expect(defect.message).toContain("no template")
  })
})
