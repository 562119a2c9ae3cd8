/** Contract of commands that need no lease: Sessions, prompts, listeners. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { FactOf } from "@holdfast/schema/event"
import type { Command, OutcomeOf } from "../../src/port.ts"
import {
  acquire,
  admit,
  append,
  contribute,
  create,
  promoted,
  promptId,
  sessionId,
  turnSettled,
  turnStarted,
} from "../records.ts"
import { held, kindOf } from "./subject.ts"
import type { OpenStore } from "./subject.ts"

export function inputContract(open: OpenStore): void {
  const session = sessionId(1)

  it.effect("makes a Session once and lists the newest first", () =>
    Effect.gen(function* () {
      const store = yield* open
      expect(yield* store.commit(create(1))).toEqual({ kind: "created", seq: 1 })
      yield* store.commit(create(2))
      yield* store.commit(create(3))
      const first = yield* store.sessions({ limit: 2 })
      expect(first.map((row) => row.id)).toEqual([sessionId(3), sessionId(2)])
      const next = yield* store.sessions({ limit: 2, after: sessionId(2) })
      expect(next.map((row) => row.id)).toEqual([session])
      expect(yield* store.session(sessionId(9))).toBeNull()
    }),
  )
  it.effect("changes only the named fields of a Session", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* store.commit(create(1))
      const change = (fact: Omit<FactOf<"session.updated">, "type">) =>
        store.commit(contribute(1, { type: "session.updated", ...fact }, 5))
      yield* change({ title: "A title" })
      yield* change({ waiting: { until: 9, reason: { code: "rate", message: "Wait." } } })
      expect(yield* store.session(session)).toMatchObject({
        title: "A title",
        model: { provider: "offline", model: "small" },
        waiting: { until: 9 },
        updatedAt: 5,
        seq: 3,
      })
      yield* change({ waiting: null })
      expect((yield* store.session(session))?.waiting).toBeNull()
    }),
  )
  it.effect("[PR1] answers an admission with its sequence, and reads see it at once", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* store.commit(create(1))
      expect(yield* store.commit(admit(1, 1))).toMatchObject({
        kind: "admitted",
        repeated: false,
        receipt: { session, prompt: promptId(1), admittedSeq: 2, delivery: "steer", state: "pending" },
      })
      expect(yield* store.inbox(session)).toEqual([
        { id: promptId(1), session, admittedSeq: 2, bodySeq: 2, text: "text of 1", delivery: "steer" },
      ])
      expect(yield* store.commit(admit(9, 2))).toEqual({ kind: "no-session" })
    }),
  )
  it.effect("[PR2] answers a repeat with the first receipt and its present state", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1)
      expect(yield* store.commit(admit(1, 1, { time: 99 }))).toMatchObject({
        kind: "admitted",
        repeated: true,
        receipt: { admittedSeq: 2, state: "pending" },
      })
      yield* store.commit({ kind: "edit-prompt", session, time: 3, prompt: promptId(1), text: "other" })
      kindOf("admitted", yield* store.commit(admit(1, 1)))
      yield* store.commit(append(1, token, [promoted(1, 3)]))
      expect(yield* store.commit(admit(1, 1))).toMatchObject({ seq: 4, receipt: { state: "promoted" } })
      expect((yield* store.session(session))?.seq).toBe(4)
    }),
  )
  it.effect("[PR2] calls the same id with another body, Session or delivery a conflict", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* store.commit(create(1))
      yield* store.commit(create(2))
      yield* store.commit(admit(1, 1))
      const conflict = { kind: "conflict" }
      expect(yield* store.commit(admit(1, 1, { text: "another" }))).toEqual(conflict)
      expect(yield* store.commit(admit(1, 1, { delivery: "queue" }))).toEqual(conflict)
      expect(yield* store.commit(admit(2, 1))).toEqual(conflict)
      expect(yield* store.inbox(sessionId(2))).toEqual([])
    }),
  )
  it.effect("[PR3] edits and cancels pending input, and only pending input", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1, 2)
      const edit = { kind: "edit-prompt", session, time: 4, prompt: promptId(1), text: "better" } as const
      const cancel = { kind: "cancel-prompt", session, time: 4, prompt: promptId(2) } as const
      expect(yield* store.commit(edit)).toMatchObject({ kind: "edited", receipt: { admittedSeq: 2 } })
      expect(yield* store.commit(cancel)).toMatchObject({
        kind: "cancelled",
        receipt: { state: "cancelled" },
      })
      expect(yield* store.inbox(session)).toMatchObject([{ id: promptId(1), text: "better", bodySeq: 4 }])
      expect(yield* store.commit(cancel)).toEqual({ kind: "not-pending", state: "cancelled" })
      yield* store.commit(append(1, token, [promoted(1, 4)]))
      expect(yield* store.commit(edit)).toEqual({ kind: "not-pending", state: "promoted" })
      expect(yield* store.commit({ ...edit, prompt: promptId(9) })).toEqual({ kind: "no-prompt" })
      expect(yield* store.commit({ ...edit, session: sessionId(9) })).toEqual({ kind: "no-session" })
      expect((yield* store.session(session))?.pending).toBe(0)
    }),
  )
  it.effect("[PR6] orders the inbox by admission, whatever the clock says", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* store.commit(create(1))
      for (const [prompt, time] of [
        ["c", 900],
        ["a", 5],
        ["b", 400],
      ] as const) {
        yield* store.commit(admit(1, prompt, { time }))
      }
      expect((yield* store.inbox(session)).map((row) => row.id)).toEqual(["prm_c", "prm_a", "prm_b"])
    }),
  )
  it.effect("[PR8] owes from a promotion until a turn settles done", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1)
      const owing = () => Effect.map(store.session(session), (row) => row?.owing)
      expect(yield* owing()).toBe(false)
      yield* store.commit(append(1, token, [promoted(1, 2), turnStarted(1)]))
      expect(yield* owing()).toBe(true)
      yield* store.commit(
        append(1, token, [turnSettled(1, "continue"), turnStarted(2), turnSettled(2, "failed")]),
      )
      expect(yield* owing()).toBe(true)
      yield* store.commit(append(1, token, [turnStarted(3), turnSettled(3)]))
      expect(yield* store.session(session)).toMatchObject({
        owing: false,
        turns: 3,
        lastTurn: { status: "done" },
      })
    }),
  )
  it.effect("commits what arrives together without one command disturbing another", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* store.commit(create(1))
      const commands: readonly Command[] = [
        admit(1, 1),
        admit(9, 2),
        admit(1, 1),
        append(1, 7, []),
        admit(1, 3),
      ]
      const outcomes: readonly OutcomeOf<Command>[] = yield* Effect.forEach(commands, store.commit, {
        concurrency: "unbounded",
      })
      expect(outcomes.map((outcome) => outcome.kind)).toEqual([
        "admitted",
        "no-session",
        "admitted",
        "lost",
        "admitted",
      ])
      expect((yield* store.session(session))?.seq).toBe(3)
    }),
  )
  it.effect("tells listeners how far each Session has come", () =>
    Effect.gen(function* () {
      const store = yield* open
      const heard: (readonly [string, number])[] = []
      const stop = store.onCommitted((id, seq) => heard.push([id, seq]))
      yield* store.commit(create(1))
      yield* store.commit(admit(1, 1))
      yield* store.commit(acquire(1))
      yield* store.commit({ kind: "release", session, token: 1, whenIdle: false })
      yield* store.commit({ kind: "delete-session", session })
      stop()
      yield* store.commit(create(2))
      expect(heard).toEqual([
        [session, 1],
        [session, 2],
        [session, 0],
      ])
    }),
  )
}
