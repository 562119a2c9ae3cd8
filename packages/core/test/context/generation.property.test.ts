import type { ContextSnapshot } from "@holdfast/schema/context"
import { applySnapshotChanges } from "@holdfast/schema/state/state"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { initialize, reconcile, replace } from "../../src/context/generation.ts"
import { absent, combine, unavailable, type SystemContext } from "../../src/context/system-context.ts"
import { decided, observeNow, probe, type Probe } from "./sources.ts"

const keyPool = ["test/a", "test/b", "test/c", "test/d", "test/e"]
const text = fc.constantFrom("0", "1", "2")

interface Planned {
  readonly key: string
  readonly value: Probe["value"]
  readonly removal: boolean
}

const planned: fc.Arbitrary<readonly Planned[]> = fc
  .uniqueArray(
    fc.record({
      key: fc.constantFrom(...keyPool),
      value: fc.oneof({ weight: 4, arbitrary: text }, fc.constant(absent), fc.constant(unavailable)),
      removal: fc.boolean(),
    }),
    { selector: ({ key }) => key },
  )
  .chain((sources) => fc.shuffledSubarray(sources, { minLength: sources.length }))

const snapshots: fc.Arbitrary<ContextSnapshot> = fc.dictionary(
  fc.constantFrom(...keyPool),
  fc.record(
    // A number is what the codec of these sources, a string's, cannot decode.
    { value: fc.oneof({ weight: 8, arbitrary: text }, fc.constant(7)), removal: fc.constant("gone") },
    { requiredKeys: ["value"] },
  ),
)

const build = (sources: readonly Planned[]): SystemContext =>
  combine(sources.map(({ key, value, removal }) => probe(key, value, { removal }).context))

test("[SC5] what a reconciliation says is said once: the same observation is unchanged afterwards", () => {
  const kinds = new Set<string>()
  fc.assert(
    fc.property(planned, snapshots, (sources, snapshot) => {
      const observation = observeNow(build(sources))
      const outcome = decided(reconcile(observation, snapshot))
      kinds.add(outcome.kind)
      if (outcome.kind === "updated") {
        const next = applySnapshotChanges(snapshot, outcome.changes)
        expect(decided(reconcile(observation, next))).toEqual({ kind: "unchanged" })
        expect(outcome.texts.map(({ key }) => key)).toEqual(Object.keys(outcome.changes))
      }
      if (outcome.kind === "replacement-ready") {
        expect(decided(reconcile(observation, outcome.generation.snapshot))).toEqual({ kind: "unchanged" })
      }
    }),
    { numRuns: 500 },
  )
  expect([...kinds].sort()).toEqual(["replacement-blocked", "replacement-ready", "unchanged", "updated"])
})

test("[SC8] an unavailable source keeps its stored entry whatever else changes", () =>
  fc.assert(
    fc.property(planned, snapshots, (sources, snapshot) => {
      const outcome = decided(reconcile(observeNow(build(sources)), snapshot))
      if (outcome.kind !== "updated") return
      const next = applySnapshotChanges(snapshot, outcome.changes)
      for (const { key, value } of sources) {
        if (value === unavailable) expect(next[key]).toEqual(snapshot[key])
      }
    }),
  ))

test("[SC3] the order of the stored document has no influence on the bytes", () =>
  fc.assert(
    fc.property(planned, snapshots, (sources, snapshot) => {
      const observation = observeNow(build(sources))
      const reversed = Object.fromEntries(Object.entries(snapshot).toReversed())
      expect(JSON.stringify(decided(reconcile(observation, reversed)))).toBe(
        JSON.stringify(decided(reconcile(observation, snapshot))),
      )
    }),
  ))

test("[SC11] a replacement equals a first Baseline of the same observation where both exist", () =>
  fc.assert(
    fc.property(planned, snapshots, (sources, snapshot) => {
      const observation = observeNow(build(sources))
      const first = decided(initialize(observation))
      const again = decided(replace(observation, snapshot))
      if (first.kind !== "ready") return
      expect(again).toEqual({ kind: "replacement-ready", generation: first.generation })
    }),
  ))
