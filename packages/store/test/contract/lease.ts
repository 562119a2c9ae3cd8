/** Contract of a lease that comes with an admission. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { admit, append, create, owner, promoted, sessionId } from "../records.ts"
import { kindOf } from "./subject.ts"
import type { OpenStore } from "./subject.ts"

const session = sessionId(1)

export function leaseContract(open: OpenStore): void {
  it.effect(
    "[DR1] gives the lease with an admission only where the Session is free and the prompt pending",
    () =>
      Effect.gen(function* () {
        const store = yield* open
        yield* store.commit(create(1))
        const leads = owner(1)
        const first = kindOf("admitted", yield* store.commit(admit(1, 1, { leads })))
        expect(first.lease).toMatchObject({ session, owner: leads })
        expect(yield* store.lease(session)).toEqual(first.lease)
        const token = first.lease?.token ?? 0
        expect(kindOf("admitted", yield* store.commit(admit(1, 2, { leads: owner(2) }))).lease).toBeNull()
        yield* store.commit(append(1, token, [promoted(1, 2), promoted(2, 3)], { release: "always" }))
        expect(yield* store.commit(admit(1, 1, { leads }))).toMatchObject({ repeated: true, lease: null })
        expect(yield* store.lease(session)).toBeNull()
      }),
  )
}
