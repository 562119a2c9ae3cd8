import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { ContextSnapshot, SnapshotChanges } from "@holdfast/schema/context"
import { applySnapshotChanges } from "@holdfast/schema/state/state"
import { openInlineStore } from "../src/inline-store.ts"
import { makePlace } from "./place.ts"
import { acquire, append, contextUpdated, create, epochStarted, sessionId } from "./records.ts"

const key = fc.constantFrom("core/date", "core/a.b", "x-1/0_z", "core/place", "a/1")
const entry = fc.record(
  {
    value: fc.jsonValue({ depthSize: "medium" }),
    removal: fc.string({ unit: "binary" }),
  },
  { requiredKeys: ["value"], noNullPrototype: true },
)
const snapshot = fc.dictionary(key, entry, { noNullPrototype: true }) as fc.Arbitrary<ContextSnapshot>
const changes = fc.dictionary(key, fc.option(entry), {
  noNullPrototype: true,
}) as fc.Arbitrary<SnapshotChanges>

it("[EP14] the stored snapshot is what the changes make of it, whatever the values", () => {
  const place = makePlace()
  const store = Effect.runSync(openInlineStore({ file: place.file }))
  Effect.runSync(store.commit(create(1)))
  Effect.runSync(store.commit(acquire(1)))
  let n = 0
  try {
    fc.assert(
      fc.property(snapshot, fc.array(changes, { maxLength: 4 }), (first, later) => {
        const facts = later.map((change) => ({ ...contextUpdated(++n, "x"), changes: change }))
        Effect.runSync(store.commit(append(1, 1, [{ ...epochStarted("B", "x"), snapshot: first }, ...facts])))
        const stored = Effect.runSync(store.window(sessionId(1)))?.state.epoch?.snapshot
        const expected = JSON.stringify(later.reduce(applySnapshotChanges, first))
        expect(stored).toEqual(JSON.parse(expected))
      }),
      { numRuns: 60, seed: 7 },
    )
  } finally {
    Effect.runSync(store.close())
    place.dispose()
  }
})
