/** What the parts of the contract share. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Store } from "../../src/port.ts"
import { acquire, admit, create } from "../records.ts"

export interface Subject {
  readonly open: () => Effect.Effect<Store, StoreFailure>
  readonly dispose: () => void
}

/** A fresh subject for one test; the store it opens ends with the test. */
export type OpenStore = Effect.Effect<Store, StoreFailure, Scope.Scope>

/** Asserts which outcome came and narrows to it. */
export function kindOf<O extends { readonly kind: string }, K extends O["kind"]>(
  kind: K,
  outcome: O,
): Extract<O, { kind: K }> {
  expect(outcome.kind).toBe(kind)
  return outcome as Extract<O, { kind: K }>
}

/** A Session 1 with these prompts admitted, held with the returned token. */
export const held = Effect.fnUntraced(function* (store: Store, ...prompts: readonly (number | string)[]) {
  yield* store.commit(create(1))
  for (const prompt of prompts) yield* store.commit(admit(1, prompt))
  return kindOf("granted", yield* store.commit(acquire(1))).lease.token
})
