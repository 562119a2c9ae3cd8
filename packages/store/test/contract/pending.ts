/** Contract of the count of what waits, whatever becomes of it. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  acquire,
  admit,
  append,
  contribute,
  create,
  notice,
  promoted,
  promptId,
  sessionId,
} from "../records.ts"
import { kindOf, type OpenStore } from "./subject.ts"

export function pendingContract(open: OpenStore): void {
  it.effect("counts what waits in all Sessions, prompts and notices", () =>
    Effect.gen(function* () {
      const store = yield* open
      expect(yield* store.pendingInputs()).toBe(0)
      yield* store.commit(create(1))
      yield* store.commit(create(2))
      yield* store.commit(admit(1, 1))
      yield* store.commit(admit(1, 2))
      yield* store.commit(admit(2, 3))
      yield* store.commit(contribute(2, notice(1)))
      expect(yield* store.pendingInputs()).toBe(4)
      yield* store.commit({ kind: "cancel-prompt", session: sessionId(1), time: 5, prompt: promptId(2) })
      expect(yield* store.pendingInputs()).toBe(3)
      const { lease } = kindOf("granted", yield* store.commit(acquire(1)))
      yield* store.commit(append(1, lease.token, [promoted(1, 2)]))
      expect(yield* store.pendingInputs()).toBe(2)
      yield* store.commit({ kind: "delete-session", session: sessionId(2) })
      expect(yield* store.pendingInputs()).toBe(0)
    }),
  )
  it.effect("counts them also where there are many Sessions", () =>
    Effect.gen(function* () {
      const store = yield* open
      const many = Array.from({ length: 1_001 }, (_, at) => at + 1)
      yield* Effect.forEach(many, (n) => store.commit(create(n)), { concurrency: "unbounded" })
      for (const n of [1, 500, 501, 1_001]) yield* store.commit(admit(n, n))
      expect(yield* store.pendingInputs()).toBe(4)
    }),
  )
}
