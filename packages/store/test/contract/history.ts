/** Contract of what stands in Session History: messages, epochs, turns, blobs, and deletion. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { held, kindOf } from "./subject.ts"
import type { OpenStore } from "./subject.ts"
import {
  acquire,
  admit,
  append,
  callPart,
  callSettled,
  callStarted,
  contextUpdated,
  create,
  cutBelow,
  epochStarted,
  outcome,
  partRecorded,
  promoted,
  promptId,
  sessionId,
  textPart,
  turnId,
  turnSettled,
  turnStarted,
} from "../records.ts"

const session = sessionId(1)

export function historyContract(open: OpenStore): void {
  it.effect("[TG6] puts parts in stream order with their counts, and a call together with its outcome", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      const facts = [turnStarted(1), partRecorded(1, 2, callPart(1)), partRecorded(1, 0, textPart("Look."))]
      yield* store.commit(append(1, token, facts))
      const parts = Effect.map(
        store.messages(session, { afterSeq: 0, limit: 9, system: true }),
        (messages) => {
          const [message] = messages
          return message?.kind === "assistant" ? message.parts : []
        },
      )
      const text = { index: 0, part: textPart("Look."), tokens: 5 }
      const call = { ...callPart(1), seq: 3, tokens: 5, state: "pending", outcome: null }
      expect(yield* parts).toEqual([text, { index: 2, part: call, tokens: 5 }])
      yield* store.commit(append(1, token, [callStarted(1, 1)]))
      expect(yield* parts).toEqual([text, { index: 2, part: { ...call, state: "running" }, tokens: 5 }])
      yield* store.commit(append(1, token, [callSettled(1, 1)]))
      const done = { ...call, tokens: 5 + 6, state: "done", outcome: outcome("done") }
      expect(yield* parts).toEqual([text, { index: 2, part: done, tokens: 5 }])
    }),
  )
  it.effect("[TU2 DR5 PE5] takes one start and one settlement of a call", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      const begun = [turnStarted(1), partRecorded(1, 0, callPart(1)), callStarted(1, 1)]
      for (const facts of [begun, [callSettled(1, 1)]]) {
        yield* store.commit(append(1, token, facts))
        const start = Effect.flip(store.commit(append(1, token, [callStarted(1, 1)])))
        expect((yield* start).code).toBe("mismatch")
      }
      const again = Effect.flip(store.commit(append(1, token, [callSettled(1, 1, "failed")])))
      expect((yield* again).code).toBe("mismatch")
    }),
  )
  it.effect("[EP5] moves the system message and the snapshot together", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      yield* store.commit(append(1, token, [epochStarted("You are careful.", "Monday")]))
      const bad = append(1, token, [contextUpdated(1, "Tuesday"), callStarted(1, 1)])
      yield* Effect.flip(store.commit(bad))
      const date = Effect.map(store.window(session), (window) => [
        window?.state.epoch?.snapshot["core/date"]?.value,
        window?.state.messages.length,
      ])
      expect(yield* date).toEqual(["Monday", 0])
      yield* store.commit(append(1, token, [contextUpdated(1, "Tuesday")]))
      expect(yield* date).toEqual(["Tuesday", 1])
    }),
  )
  it.effect("[EP14] overwrites one snapshot, naming only what changed", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      yield* store.commit(append(1, token, [epochStarted("Base.", "Monday"), contextUpdated(1, null)]))
      expect((yield* store.window(session))?.state.epoch).toEqual({
        startedSeq: 2,
        baseline: "Base.",
        snapshot: { "core/place": { value: "here", removal: "No place." } },
      })
    }),
  )
  it.effect("[EP1 EP15] gives the Baseline back exactly, and never as a message", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1)
      const baseline = "Line one\r\n\tline two \u{1f9ff} \u0000 end"
      yield* store.commit(
        append(1, token, [promoted(1, 2), epochStarted(baseline, "x"), contextUpdated(1, "y")]),
      )
      const state = (yield* store.window(session))?.state
      expect(state?.epoch?.baseline).toBe(baseline)
      expect(state?.messages).toMatchObject([
        { kind: "user", seq: 3 },
        { kind: "system", seq: 5, text: "The date is y.", keys: ["core/date"] },
      ])
    }),
  )
  it.effect("returns turns with their two facts", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      yield* store.commit(append(1, token, [turnStarted(1), turnSettled(1, "failed"), turnStarted(2)]))
      expect(yield* store.turns(session)).toEqual([
        { startedSeq: 2, startedAt: 3_000, started: turnStarted(1), settled: turnSettled(1, "failed") },
        { startedSeq: 4, startedAt: 3_000, started: turnStarted(2), settled: null },
      ])
      const last = { startedAt: 3_000, settled: null }
      expect((yield* store.window(session))?.state.lastTurn).toMatchObject(last)
      expect(yield* store.session(session)).toMatchObject({
        openTurn: turnId(2),
        lastTurn: { status: "failed", reason: { code: "auth" } },
      })
    }),
  )
  it.effect("clears `blocked` and `waiting` when a turn starts", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      const reason = { code: "rate", message: "Wait." }
      const fact = { type: "session.updated", blocked: reason, waiting: { until: 9, reason } } as const
      yield* store.commit(append(1, token, [fact]))
      expect(yield* store.session(session)).toMatchObject({ blocked: reason, waiting: { until: 9 } })
      yield* store.commit(append(1, token, [turnStarted(1)]))
      expect(yield* store.session(session)).toMatchObject({ blocked: null, waiting: null })
    }),
  )
  it.effect("pages through events in order, with their facts as they were", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1)
      yield* store.commit(append(1, token, [promoted(1, 2), turnStarted(1), turnSettled(1)]))
      const { events, damage } = yield* store.events(session, 2, 2)
      expect(damage).toEqual([])
      expect(events).toEqual([
        { session, seq: 3, version: 1, time: 3_000, fact: promoted(1, 2) },
        { session, seq: 4, version: 2, time: 3_000, fact: turnStarted(1) },
      ])
      expect((yield* store.events(sessionId(9), 0, 9)).events).toEqual([])
    }),
  )
  it.effect("[ST3] deletes a Session with everything that only it used, and shrinks", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* held(store, 1)
      yield* store.commit(create(2))
      yield* store.commit(acquire(2))
      const shared = { hash: "aa11", bytes: new Uint8Array(2_000_000) }
      const own = { hash: "bb22", bytes: new Uint8Array(2_000_000) }
      const row = { hash: "cc33", bytes: new Uint8Array(900_000) }
      yield* store.commit(append(2, 1, [turnStarted(2)], { blobs: [shared] }))
      const before = (yield* store.inspect()).bytes
      yield* store.commit(append(1, 1, [promoted(1, 2), turnStarted(1)], { blobs: [shared, own, row] }))
      const remove = { kind: "delete-session", session } as const
      expect(yield* store.commit(remove)).toMatchObject({ kind: "held", lease: { token: 1 } })
      yield* store.commit({ kind: "release", session, token: 1, whenIdle: false })
      expect(yield* store.commit(remove)).toEqual({ kind: "deleted" })
      expect(yield* store.commit(remove)).toEqual({ kind: "no-session" })
      expect(yield* store.window(session)).toBeNull()
      expect(yield* store.prompt(promptId(1))).toBeNull()
      expect([yield* store.blob("bb22"), yield* store.blob("cc33")]).toEqual([null, null])
      expect(yield* store.blob("aa11")).not.toBeNull()
      yield* store.commit(create(3)) // whatever the adapter tidies up later is done by now
      expect((yield* store.inspect()).bytes).toBeLessThan(before + 100_000)
    }),
  )
  it.effect("inspects a sound store without complaint, before and after a rebuild", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1, 2)
      yield* store.commit(append(1, token, [epochStarted("A", "1"), promoted(1, 2), turnStarted(1)]))
      yield* store.commit(append(1, token, [partRecorded(1, 0, callPart(1)), callStarted(1, 1)]))
      expect(yield* store.inspect()).toMatchObject({ damage: [], stale: [] })
      const before = [yield* store.window(session), yield* store.lease(session)]
      yield* store.rebuild()
      expect([yield* store.window(session), yield* store.lease(session)]).toEqual(before)
      expect(yield* store.inspect()).toMatchObject({ damage: [], stale: [] })
      kindOf("admitted", yield* store.commit(admit(1, 3)))
    }),
  )
}

export function windowContract(open: OpenStore): void {
  it.effect(
    "[TU6 EP7] starts the window at the newest cut, without system messages of an earlier Epoch",
    () =>
      Effect.gen(function* () {
        const store = yield* open
        const token = yield* held(store, 1, 2) // 2, 3
        yield* store.commit(append(1, token, [epochStarted("A", "1"), contextUpdated(1, "2")])) // 4, 5
        yield* store.commit(
          append(1, token, [epochStarted("B", "3"), promoted(1, 2), contextUpdated(2, "4")]),
        ) // 6, 7, 8
        const seqs = Effect.map(store.window(session), (window) =>
          window?.state.messages.map(({ seq }) => seq),
        )
        expect(yield* seqs).toEqual([7, 8])
        yield* store.commit(append(1, token, [turnStarted(1), turnSettled(1), promoted(2, 3)])) // 9, 10, 11
        yield* store.commit(append(1, token, [cutBelow(11, [7])]))
        expect(yield* seqs).toEqual([7, 11])
        expect((yield* store.window(session))?.state.frozen).toMatchObject({ from: 11, messagesCut: 2 })
        const all = yield* store.messages(session, { afterSeq: 0, limit: 99, system: true })
        expect(all.map((message) => message.seq)).toEqual([5, 7, 8, 9, 11])
        const page = yield* store.messages(session, { afterSeq: 5, limit: 2, system: true })
        expect(page.map((message) => message.seq)).toEqual([7, 8])
      }),
  )
}
