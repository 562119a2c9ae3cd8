/** Contract of whoever holds a Session: leases, the token and interrupt fences, scratch rows. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Append, Checkpoint } from "../../src/port.ts"
import { held, kindOf } from "./subject.ts"
import type { OpenStore } from "./subject.ts"
import {
  acquire,
  admit,
  append,
  callPart,
  callSettled,
  callStarted,
  create,
  owner,
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

export function drainContract(open: OpenStore): void {
  it.effect("[DR1] grants a Session to one holder at a time, with tokens that only grow", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* store.commit(create(1))
      expect(yield* store.commit(acquire(2))).toEqual({ kind: "no-session" })
      const lease = { session, owner: owner(1), token: 1, beat: 0 }
      expect(yield* store.commit(acquire(1, 1))).toEqual({ kind: "granted", lease })
      expect(yield* store.commit(acquire(1, 2))).toEqual({ kind: "held", lease })
      expect(yield* store.lease(session)).toEqual(lease)
      expect(yield* store.commit({ kind: "release", session, token: 1, whenIdle: false })).toEqual({
        kind: "released",
      })
      expect(yield* store.lease(session)).toBeNull()
      expect(yield* store.commit(acquire(1, 2))).toMatchObject({ kind: "granted", lease: { token: 2 } })
    }),
  )
  it.effect("[DR1] takes over only from a holder found dead at exactly this token and beat", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* held(store)
      yield* store.commit({ kind: "renew", session, token: 1 })
      const takeOver = (token: number, beat: number) =>
        store.commit({ ...acquire(1, 2), dead: { token, beat } })
      expect(yield* takeOver(1, 0)).toMatchObject({ kind: "held", lease: { beat: 1 } })
      expect(yield* takeOver(2, 1)).toMatchObject({ kind: "held" })
      expect(yield* takeOver(1, 1)).toMatchObject({ kind: "granted", lease: { token: 2, beat: 0 } })
    }),
  )
  it.effect("[DR1] refuses every command of a drain whose token is stale", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* held(store, 1)
      yield* store.commit({ ...acquire(1, 2), dead: { token: 1, beat: 0 } })
      const lost = { kind: "lost" }
      expect(yield* store.commit(append(1, 1, [promoted(1, 2)]))).toEqual(lost)
      expect(yield* store.commit({ kind: "renew", session, token: 1 })).toEqual(lost)
      expect(yield* store.commit({ kind: "release", session, token: 1, whenIdle: false })).toEqual(lost)
      expect(yield* store.commit(checkpoint(1, []))).toEqual(lost)
      expect(yield* store.session(session)).toMatchObject({ seq: 2, pending: 1 })
    }),
  )
  it.effect("releases only if nothing is pending, when asked so", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1)
      const release = { kind: "release", session, token, whenIdle: true } as const
      expect(yield* store.commit(release)).toEqual({ kind: "pending" })
      const step = (facts: Append["facts"]) => store.commit(append(1, token, facts, { release: "when-idle" }))
      expect(yield* step([turnStarted(1)])).toMatchObject({ kind: "appended", released: false })
      expect(yield* step([promoted(1, 2)])).toMatchObject({ kind: "appended", released: true })
      expect(yield* store.lease(session)).toBeNull()
    }),
  )
  it.effect("[DR3] stores an interrupt only where somebody holds the Session", () =>
    Effect.gen(function* () {
      const store = yield* open
      const interrupt = { kind: "interrupt", session, time: 9 } as const
      expect(yield* store.commit(interrupt)).toEqual({ kind: "no-session" })
      yield* store.commit(create(1))
      expect(yield* store.commit(interrupt)).toEqual({ kind: "no-holder" })
      yield* store.commit(admit(1, 1))
      yield* store.commit(acquire(1))
      const { seq } = kindOf("interrupted", yield* store.commit(interrupt))
      expect(yield* store.session(session)).toMatchObject({ interruptedSeq: seq, pending: 1 })
      kindOf("interrupted", yield* store.commit(interrupt))
    }),
  )
  it.effect("[DR3] lets no commit pass that has not seen the interrupt, except those that settle", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1)
      const begin = append(1, token, [promoted(1, 2), turnStarted(1)], { interruptedAbove: 2 })
      kindOf("appended", yield* store.commit(begin))
      const interrupt = { kind: "interrupt", session, time: 9 } as const
      const { seq } = kindOf("interrupted", yield* store.commit(interrupt))
      const call = partRecorded(1, 0, callPart(1))
      expect(yield* store.commit(append(1, token, [call], { interruptedAbove: 4 }))).toEqual({
        kind: "interrupted",
      })
      kindOf("appended", yield* store.commit(append(1, token, [turnSettled(1, "interrupted")])))
      // A resume has seen it and goes on; an interrupt after that stops it again.
      kindOf("appended", yield* store.commit(append(1, token, [], { interruptedAbove: seq })))
      kindOf("interrupted", yield* store.commit(interrupt))
      const resume = append(1, token, [turnStarted(2)], { interruptedAbove: seq })
      expect(yield* store.commit(resume)).toEqual({ kind: "interrupted" })
    }),
  )
  it.effect("[PR4] promotes once: the inbox entry goes and the user message comes, together", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1)
      const promote = append(1, token, [promoted(1, 2)], { promotes: [{ prompt: promptId(1), bodySeq: 2 }] })
      expect(yield* store.commit(promote)).toMatchObject({ kind: "appended", firstSeq: 3, lastSeq: 3 })
      expect(yield* store.commit(promote)).toEqual({ kind: "stale" })
      expect(yield* store.commit({ ...promote, promotes: [] })).toEqual({ kind: "stale" })
      const user = { id: "msg_p1", seq: 3, kind: "user", prompt: promptId(1), text: "text of 1" }
      expect((yield* store.window(session))?.state).toMatchObject({ inbox: [], messages: [user] })
      expect(yield* store.prompt(promptId(1))).toMatchObject({
        message: "msg_p1",
        receipt: { state: "promoted" },
      })
    }),
  )
  it.effect("[PR4] refuses a promotion planned before an edit or a cancel", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1, 2)
      yield* store.commit({ kind: "edit-prompt", session, time: 3, prompt: promptId(1), text: "new" })
      yield* store.commit({ kind: "cancel-prompt", session, time: 3, prompt: promptId(2) })
      const plan = (prompt: number, bodySeq: number) =>
        append(1, token, [promoted(prompt, bodySeq), turnStarted(1)], {
          promotes: [{ prompt: promptId(prompt), bodySeq }],
        })
      expect(yield* store.commit(plan(1, 2))).toEqual({ kind: "stale" })
      expect(yield* store.commit(plan(2, 3))).toEqual({ kind: "stale" })
      expect((yield* store.window(session))?.state.lastTurn).toBeNull()
      kindOf("appended", yield* store.commit(plan(1, 4)))
      const messages = (yield* store.window(session))?.state.messages
      expect(messages).toMatchObject([{ text: "new" }, { kind: "assistant" }])
    }),
  )
  it.effect("[EP5] leaves nothing of an append whose last fact does not fit", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1)
      const facts = [promoted(1, 2), turnStarted(1), callStarted(1, 1)]
      expect((yield* Effect.flip(store.commit(append(1, token, facts)))).code).toBe("mismatch")
      expect(yield* store.session(session)).toMatchObject({ seq: 2, pending: 1, openTurn: null })
      expect((yield* store.events(session, 0, 10)).events).toHaveLength(2)
      kindOf("appended", yield* store.commit(append(1, token, facts.slice(0, 2))))
    }),
  )
  it.effect("[TU3] keeps streamed text until its part is recorded or the turn has settled", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      yield* store.commit(append(1, token, [turnStarted(1)]))
      const keep = (...pieces: readonly (readonly [index: number, at: number, text: string])[]) =>
        store.commit(
          checkpoint(
            token,
            pieces.map(([index, at, text]) => ({ index, type: "text", at, text })),
          ),
        )
      const scratch = () => Effect.map(store.window(session), (window) => window?.scratch)
      expect(yield* keep([0, 0, "one"], [1, 0, "tw"])).toEqual({ kind: "kept" })
      yield* Effect.andThen(keep([1, 2, "o "]), keep([1, 2, "o and"]))
      expect(yield* scratch()).toEqual([
        { index: 0, type: "text", text: "one" },
        { index: 1, type: "text", text: "two and" },
      ])
      expect((yield* store.window(session))?.checkpointedAt).toBe(5_000)
      expect((yield* store.session(session))?.seq).toBe(2)
      yield* store.commit(append(1, token, [partRecorded(1, 0, textPart("one"))], { clearsScratch: [0] }))
      expect(yield* scratch()).toMatchObject([{ index: 1 }])
      yield* store.commit(append(1, token, [turnSettled(1)], { clearsScratch: "all" }))
      expect(yield* scratch()).toEqual([])
    }),
  )
  it.effect("[DR4] names Sessions with an open turn, an open call or a holder", () =>
    Effect.gen(function* () {
      const store = yield* open
      for (const n of [1, 2, 3, 4]) yield* store.commit(create(n))
      for (const n of [1, 2, 3]) yield* store.commit(acquire(n))
      const finish = { release: "always" } as const
      yield* store.commit(append(1, 1, [turnStarted(1)], finish))
      const call = [turnStarted(2), partRecorded(2, 0, callPart(2)), callStarted(2, 2), turnSettled(2)]
      yield* store.commit(append(2, 1, call, finish))
      expect(yield* store.unsettled()).toEqual([1, 2, 3].map(sessionId))
      yield* store.commit(acquire(1))
      yield* store.commit(append(1, 2, [turnSettled(1)], finish))
      yield* store.commit(acquire(2))
      yield* store.commit(append(2, 2, [callSettled(2, 2, "interrupted")], finish))
      yield* store.commit({ kind: "release", session: sessionId(3), token: 1, whenIdle: true })
      expect(yield* store.unsettled()).toEqual([])
    }),
  )
}

const checkpoint = (token: number, parts: Checkpoint["parts"]): Checkpoint => ({
  kind: "checkpoint",
  session,
  time: 5_000,
  token,
  turn: turnId(1),
  parts,
})
