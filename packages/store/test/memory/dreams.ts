/** Contract of what the store says of runs of the dreamer that failed. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { usageNone } from "@holdfast/schema/model"
import type { DreamedTask, DreamFact, DreamId } from "@holdfast/schema/memory/dream"
import type { Store } from "../../src/port.ts"
import { owner } from "../records.ts"
import { kindOf } from "../contract/subject.ts"
import type { OpenStore } from "../contract/subject.ts"

type Outcome = Extract<DreamFact, { type: "dream.settled" }>["outcome"]

const source = { by: "dreamer", session: null, messages: [] } as const
const taskOf = (reason: string): DreamedTask => ({
  task: "verify",
  outcome: "failed",
  reason,
  changes: 0,
  refused: 0,
})

const dreamer = Effect.fnUntraced(function* (store: Store) {
  const take = { kind: "acquire-named", name: "dreamer", owner: owner(1), dead: null } as const
  const { token } = kindOf("granted", yield* store.commit(take)).lease
  return (root: string, time: number, outcome: Outcome, reason = "") =>
    store.commit({
      kind: "dream",
      project: { root, origin: null },
      time,
      under: { name: "dreamer", token },
      fact: {
        type: "dream.settled",
        source,
        run: "d1" as DreamId,
        outcome,
        tasks: outcome === "failed" ? [taskOf(reason)] : [],
        usage: usageNone,
        cost: 0,
      },
      changes: [],
      seen: [],
    })
})

export function dreamContract(open: OpenStore): void {
  it.effect(
    "[FA1 DM1] what the dreamer failed at last stands until a run is done, whatever was cut off",
    () =>
      Effect.gen(function* () {
        const store = yield* open
        const settle = yield* dreamer(store)
        expect(yield* store.failedDreams()).toEqual([])
        yield* settle("/a", 1, "failed", "long ago")
        yield* settle("/a", 2, "done")
        yield* settle("/b", 3, "interrupted")
        expect(yield* store.failedDreams()).toEqual([])
        yield* settle("/a", 4, "failed", "no key")
        yield* settle("/a", 5, "interrupted")
        yield* settle("/a", 6, "failed", "no answer")
        yield* settle("/a", 7, "interrupted")
        const failed = { root: "/a", since: 4, at: 6, tasks: [taskOf("no answer")] }
        expect(yield* store.failedDreams()).toEqual([failed])
        yield* settle("/b", 8, "failed", "no key")
        expect(yield* store.failedDreams()).toEqual([
          { root: "/b", since: 8, at: 8, tasks: [taskOf("no key")] },
          failed,
        ])
        yield* settle("/a", 9, "done")
        expect((yield* store.failedDreams()).map(({ root }) => root)).toEqual(["/b"])
      }),
  )
  it.effect("[FA1] a memory that rests, because its directory adopted another, is nobody's trouble", () =>
    Effect.gen(function* () {
      const store = yield* open
      const settle = yield* dreamer(store)
      yield* settle("/work", 1, "done")
      yield* settle("/copy", 2, "failed", "no key")
      yield* store.commit({ kind: "ask-project", root: "/copy", origin: null, time: 3 })
      yield* store.commit({ kind: "settle-project", root: "/copy", shares: "/work", time: 4 })
      expect(yield* store.failedDreams()).toEqual([])
    }),
  )
}
