import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { openInlineStore } from "../../src/inline-store.ts"
import type { Store } from "../../src/port.ts"
import { histories, type PlannedStep, runs, session, timeoutMs } from "./histories.ts"
import { makePlace } from "../place.ts"
import { acquire, create } from "../records.ts"

const play = Effect.fnUntraced(function* (store: Store, plan: readonly PlannedStep[]) {
  yield* store.commit(create(1))
  yield* store.commit(acquire(1))
  for (const [at, { step, pick }] of plan.entries()) {
    const window = yield* store.window(session)
    const command = window && step({ n: at + 1, pick, state: window.state })
    if (command) yield* store.commit(command)
  }
})

const everything = Effect.fnUntraced(function* (store: Store) {
  return {
    window: yield* store.window(session),
    messages: yield* store.messages(session, { afterSeq: 0, limit: 1_000, system: true }),
    turns: yield* store.turns(session),
    lease: yield* store.lease(session),
    unsettled: yield* store.unsettled(),
  }
})

it(
  "[EP5] a rebuild from the log equals the projections that the commits wrote",
  () => {
    fc.assert(
      fc.property(histories, (plan) => {
        const place = makePlace()
        const store = Effect.runSync(openInlineStore({ file: place.file }))
        try {
          Effect.runSync(play(store, plan))
          const before = Effect.runSync(everything(store))
          const report = Effect.runSync(store.inspect())
          expect([report.damage, report.stale]).toEqual([[], []])
          Effect.runSync(store.rebuild())
          expect(Effect.runSync(everything(store))).toEqual(before)
        } finally {
          Effect.runSync(store.close())
          place.dispose()
        }
      }),
      runs,
    )
  },
  timeoutMs,
)
