/** A guard says of every value what `Schema.is` says of it. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { Fact } from "../src/event.ts"
import { guardFor } from "../src/fact/guard.ts"

type Fields = { readonly [name: string]: unknown }

/** Of every kind that a fact is made of, and of some that it never holds. */
const strangers: readonly unknown[] = [
  undefined,
  null,
  true,
  "",
  "x",
  0,
  -1,
  1.5,
  Number.NaN,
  [],
  [undefined],
  Array(1),
  {},
  () => 1,
]

/** The value with one thing in it replaced or taken out, once for each thing and each stranger. */
function* spoiled(value: unknown): Generator<unknown> {
  yield* strangers
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) for (const other of spoiled(each)) yield value.with(at, other)
  } else if (typeof value === "object" && value !== null) {
    for (const name of Object.keys(value)) {
      const { [name]: each, ...others } = value as Fields
      yield others
      for (const other of spoiled(each)) yield { ...others, [name]: other }
    }
    yield { ...value, unheardOf: 1 }
  }
}

const runs = { arbitrary: { runs: 20, seed: 11 } }

describe("guards", () => {
  for (const schema of Fact.members as readonly Schema.Codec<unknown, unknown>[]) {
    const { literal } = (schema as unknown as { fields: { type: { literal: string } } }).fields.type
    it.prop(
      `[ST3] a ${literal} that could not be read again is told as its schema tells it`,
      { value: schema },
      ({ value }) => {
        const fast = guardFor(schema)
        const exact = Schema.is(schema)
        expect(fast(value)).toBe(true)
        for (const other of spoiled(value)) if (fast(other) !== exact(other)) expect(other).toBe(exact(other))
      },
      runs,
    )
  }
})
