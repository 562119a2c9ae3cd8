/** Contract of moves: the Epoch ends, what was asked is withdrawn, and what was planned before is refused (EP9, PE6). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  append,
  askRaised,
  callPart,
  contextUpdated,
  epochStarted,
  move,
  partRecorded,
  sessionId,
  turnSettled,
  turnStarted,
} from "../records.ts"
import { held } from "./subject.ts"
import type { OpenStore } from "./subject.ts"

const session = sessionId(1)

export function moveContract(open: OpenStore): void {
  it.effect("[EP9] clears the Epoch, once, whoever holds the Session", () =>
    Effect.gen(function* () {
      const store = yield* open
      expect(yield* store.commit(move(1, "/srv/there"))).toEqual({ kind: "no-session" })
      const token = yield* held(store)
      expect(yield* store.commit(move(1, "/srv/here"))).toEqual({ kind: "unmoved" })
      yield* store.commit(append(1, token, [epochStarted("Baseline", "monday")]))
      expect(yield* store.commit(move(1, "/srv/there"))).toEqual({ kind: "moved", seq: 3 })
      expect(yield* store.commit(move(1, "/srv/there"))).toEqual({ kind: "unmoved" })
      expect((yield* store.window(session))?.state.epoch).toBeNull()
      expect(yield* store.session(session)).toMatchObject({
        location: { directory: "/srv/there" },
        movedSeq: 3,
        seq: 3,
      })
    }),
  )
  it.effect("[EP9] refuses what was planned for the place before it", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      yield* store.commit(append(1, token, [epochStarted("Baseline", "monday")], { movedAbove: 0 }))
      yield* store.commit(move(1, "/srv/there"))
      const planned = append(1, token, [contextUpdated(1, "tuesday"), turnStarted(1)], { movedAbove: 0 })
      expect(yield* store.commit(planned)).toEqual({ kind: "stale" })
      const anew = append(1, token, [epochStarted("There", "tuesday"), turnStarted(1)], { movedAbove: 3 })
      expect(yield* store.commit(anew)).toMatchObject({ kind: "appended", firstSeq: 4 })
    }),
  )
  it.effect("[PE6] withdraws open asks and settles the calls that waited for them", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      const asking = [turnStarted(1), partRecorded(1, 0, callPart(1)), turnSettled(1, "asking")]
      yield* store.commit(append(1, token, [...asking, askRaised(1, { turn: 1, call: 1 }), askRaised(2)]))
      yield* store.commit(move(1, "/srv/there"))
      const { events } = yield* store.events(session, 6, 9)
      expect(events.map(({ fact }) => fact)).toMatchObject([
        { type: "ask.withdrawn", ask: "ask_1", cause: "moved" },
        { type: "call.settled", call: "call_1", outcome: { state: "interrupted" } },
        { type: "ask.withdrawn", ask: "ask_2", cause: "moved" },
        { type: "session.moved" },
      ])
      expect(yield* store.session(session)).toMatchObject({ asks: 0, openCalls: 0, stopped: false })
    }),
  )
}
