/** Contract of leases that come with an admission, that are taken to settle, and that have a name. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { MemoryChange, MemoryId } from "@holdfast/schema/memory/memory"
import { acquire, admit, append, create, owner, promoted, sessionId, turnStarted } from "../records.ts"
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
  it.effect("[DR4] grants a Session to settle only where something is open, or its holder is dead", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* store.commit(create(1))
      const toSettle = { ...acquire(1, 2), toSettle: true }
      expect(yield* store.commit(toSettle)).toEqual({ kind: "settled" })
      expect(yield* store.lease(session)).toBeNull()
      yield* store.commit(acquire(1, 1))
      expect(yield* store.commit(toSettle)).toMatchObject({ kind: "held" })
      const dead = { token: 1, beat: 0 }
      expect(yield* store.commit({ ...toSettle, dead })).toMatchObject({ kind: "granted" })
      yield* store.commit(append(1, 2, [turnStarted(1)], { release: "always" }))
      expect(yield* store.commit(toSettle)).toMatchObject({ kind: "granted" })
    }),
  )
}

export function namedLeaseContract(open: OpenStore): void {
  const take = (who: number, dead: { token: number; beat: number } | null = null) =>
    ({ kind: "acquire-named", name: "dreamer", owner: owner(who), dead }) as const

  it.effect("[DM2] a name has one holder, and is taken only from one that stood still at this beat", () =>
    Effect.gen(function* () {
      const store = yield* open
      const { lease } = kindOf("granted", yield* store.commit(take(1)))
      expect(kindOf("held", yield* store.commit(take(2))).lease).toEqual(lease)
      const { token } = lease
      const seen = { token, beat: lease.beat }
      expect(yield* store.commit({ kind: "renew-named", name: "dreamer", token })).toEqual({
        kind: "renewed",
      })
      kindOf("held", yield* store.commit(take(2, seen)))
      const next = kindOf("granted", yield* store.commit(take(2, { token, beat: 1 }))).lease
      expect(next.token).toBeGreaterThan(token)
      expect(yield* store.namedLease("dreamer")).toEqual(next)
      expect(yield* store.namedLease("indexer")).toBeNull()
    }),
  )
  it.effect("[DM2] a name that was released is granted with a token that nobody had before", () =>
    Effect.gen(function* () {
      const store = yield* open
      const { token } = kindOf("granted", yield* store.commit(take(1))).lease
      const mine = { name: "dreamer", token } as const
      expect(yield* store.commit({ kind: "release-named", ...mine })).toEqual({ kind: "released" })
      expect(yield* store.namedLease("dreamer")).toBeNull()
      const again = kindOf("granted", yield* store.commit(take(1))).lease
      expect(again.token).toBeGreaterThan(token)
      expect(yield* store.commit({ kind: "renew-named", ...mine })).toEqual({ kind: "lost" })
      expect(yield* store.commit({ kind: "release-named", ...mine })).toEqual({ kind: "lost" })
    }),
  )
  it.effect("[DM2] what the dreamer changes is refused once another holds its name, whole", () =>
    Effect.gen(function* () {
      const store = yield* open
      const { token } = kindOf("granted", yield* store.commit(take(1))).lease
      const source = { by: "dreamer", session: null, messages: [] } as const
      const dream = (under: number) =>
        store.commit({
          kind: "dream",
          project: { root: "/work", origin: null },
          time: 5_000,
          under: { name: "dreamer", token: under },
          fact: { type: "dream.started", source, by: "timer" },
          changes: [],
          seen: [],
        })
      expect(kindOf("changed", yield* dream(token)).factSeq).toBe(1)
      const next = kindOf("granted", yield* store.commit(take(2, { token, beat: 0 }))).lease
      expect(yield* dream(token)).toEqual({ kind: "lost" })
      expect(kindOf("changed", yield* dream(next.token)).factSeq).toBe(2)
      const started = yield* store.projectFacts("/work", { type: "dream.started", limit: 9 })
      expect(started.map(({ seq }) => seq)).toEqual([2, 1])
    }),
  )
  it.effect("[DM1 DM2] what somebody changed since the dreamer looked at it stays as it is, whole", () =>
    Effect.gen(function* () {
      const store = yield* open
      const { token } = kindOf("granted", yield* store.commit(take(1))).lease
      const project = { root: "/work", origin: null }
      const by = (who: "agent" | "person" | "dreamer") => ({ by: who, session: null, messages: [] }) as const
      const write = (text: string) =>
        ({
          change: "write",
          category: "NAMING",
          text,
          source: by("agent"),
          expiresAt: null,
          supersedes: [],
        }) as const
      const ids = ["m1", "m2"] as readonly string[] as readonly [MemoryId, MemoryId]
      const merge = { change: "merge", from: ids, category: null, text: "c", source: by("dreamer") } as const
      const change = (changes: readonly MemoryChange[]) =>
        store.commit({ kind: "change-memory", project, time: 1, changes })
      const seen = ids.map((id, at) => ({ id, changedSeq: at + 1 }))
      const dream = store.commit({
        kind: "dream",
        project,
        time: 2,
        under: { name: "dreamer", token },
        fact: null,
        changes: [merge],
        seen,
      })
      yield* change([write("a"), write("b")])
      yield* change([{ change: "update", memory: ids[1], text: "b, by hand", source: by("person") }])
      expect(yield* dream).toMatchObject({ kind: "refused", ids: ["m2"] })
      const { memories } = yield* store.memories("/work", { status: "active", limit: 9 })
      expect(memories.map(({ text }) => text)).toEqual(["a", "b, by hand"])
    }),
  )
}
