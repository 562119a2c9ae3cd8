/** Contract of asks: answered once, by anybody; withdrawn by an interrupt; open through any turn. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SessionId } from "@holdfast/schema/id"
import type { Store } from "../../src/port.ts"
import {
  acquire,
  append,
  askAnswered,
  askRaised,
  callId,
  callPart,
  callSettled,
  callStarted,
  contribute,
  create,
  partRecorded,
  sessionId,
  turnSettled,
  turnStarted,
} from "../records.ts"
import { held, kindOf } from "./subject.ts"
import type { OpenStore } from "./subject.ts"

const session = sessionId(1)
const interrupt = { kind: "interrupt", session, time: 9 } as const
const notOpen = { kind: "refused", problem: "not-open" }

const stateOf = (store: Store) => Effect.map(store.window(session), (window) => window?.state)

/** A turn with calls 1 and 2 that asks about call 1; nobody holds the Session. Returns the last token. */
const asking = Effect.fnUntraced(function* (store: Store) {
  const token = yield* held(store)
  const facts = [
    turnStarted(1),
    partRecorded(1, 0, callPart(1)),
    partRecorded(1, 1, callPart(2)),
    askRaised(1, { turn: 1, call: 1 }),
    callStarted(1, 2),
    callSettled(1, 2),
    turnSettled(1, "asking"),
  ]
  yield* store.commit(append(1, token, facts, { release: "always" }))
  return token
})

export function answerContract(open: OpenStore): void {
  listContract(open)

  it.effect(
    "[PE5] answers an ask once, in its own Session only, and takes a repeated ask for the first",
    () =>
      Effect.gen(function* () {
        const store = yield* open
        yield* asking(store)
        yield* store.commit(create(2))
        expect(yield* store.commit(contribute(1, askAnswered("none")))).toEqual(notOpen)
        expect(yield* store.commit(contribute(2, askAnswered(1)))).toEqual(notOpen)
        expect(yield* store.session(session)).toMatchObject({ asks: 1, owing: false })
        const raisedAgain = yield* store.commit(contribute(1, askRaised(1)))
        expect(raisedAgain).toEqual({ kind: "contributed", seq: 5, repeated: true })
        const { seq } = kindOf("contributed", yield* store.commit(contribute(1, askAnswered(1))))
        expect(yield* store.commit(contribute(1, askAnswered(1)))).toEqual(notOpen)
        expect(yield* store.session(session)).toMatchObject({ asks: 0, seq })
        expect((yield* stateOf(store))?.items.asks.get("ask_1")).toEqual({
          raised: askRaised(1, { turn: 1, call: 1 }),
          answer: askAnswered(1),
          answeredSeq: seq,
        })
      }),
  )
  it.effect("[PE5] refuses a drain's end of an ask that somebody answered meanwhile, as stale", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* asking(store)
      const { token } = kindOf("granted", yield* store.commit(acquire(1))).lease
      yield* store.commit(contribute(1, askAnswered(1)))
      const { ask } = askAnswered(1)
      const withdraw = { type: "ask.withdrawn", ask, cause: "moved" } as const
      for (const fact of [withdraw, askAnswered(1)])
        expect(yield* store.commit(append(1, token, [fact]))).toEqual({ kind: "stale" })
      expect((yield* store.session(session))?.asks).toBe(0)
      const decided = append(1, token, [askRaised(2), { ...askAnswered(2), by: "on-ask" }])
      kindOf("appended", yield* store.commit(decided))
    }),
  )
  it.effect(
    "[PE5] keeps an answer until a turn begins that has seen it, and an open ask through any turn",
    () =>
      Effect.gen(function* () {
        const store = yield* open
        const token = yield* held(store)
        const asks = Effect.map(stateOf(store), (state) => [...(state?.items.asks.keys() ?? [])])
        yield* store.commit(contribute(1, askRaised("open"))) // 2
        yield* store.commit(contribute(1, askRaised("done"))) // 3
        yield* store.commit(contribute(1, askAnswered("done"))) // 4
        yield* store.commit(append(1, token, [turnStarted(1, 3), turnSettled(1)]))
        expect(yield* asks).toEqual(["ask_open", "ask_done"])
        yield* store.commit(append(1, token, [turnStarted(2, 6)]))
        expect(yield* asks).toEqual(["ask_open"])
        expect(yield* store.commit(contribute(1, askAnswered("done")))).toEqual(notOpen)
        kindOf("contributed", yield* store.commit(contribute(1, askAnswered("open"))))
      }),
  )
}

export function withdrawalContract(open: OpenStore): void {
  it.effect("[PE6 DR3] withdraws open asks where nobody holds the Session, and settles their calls", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* asking(store)
      yield* store.commit(contribute(1, askRaised(2)))
      const { seq } = kindOf("interrupted", yield* store.commit(interrupt))
      expect(yield* store.session(session)).toMatchObject({ seq, asks: 0, openCalls: 0, interruptedSeq: 0 })
      const { events } = yield* store.events(session, seq - 3, 9)
      expect(events.map(({ fact }) => fact)).toMatchObject([
        { type: "ask.withdrawn", ask: "ask_1", cause: "interrupted" },
        { type: "call.settled", call: callId(1), outcome: { state: "interrupted" } },
        { type: "ask.withdrawn", ask: "ask_2", cause: "interrupted" },
      ])
      expect((yield* stateOf(store))?.messages).toMatchObject([
        { parts: [{ part: { state: "interrupted" } }, { part: { state: "done" } }] },
      ])
      expect(yield* store.commit(contribute(1, askAnswered(1)))).toEqual(notOpen)
      expect(yield* store.commit(interrupt)).toEqual({ kind: "no-holder" })
      expect((yield* store.session(session))?.stopped).toBe(true)
    }),
  )
  it.effect("[PE6 DR3] stores the interrupt before what it withdraws where somebody holds the Session", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* asking(store)
      yield* store.commit(acquire(1))
      const { seq } = kindOf("interrupted", yield* store.commit(interrupt))
      expect(yield* store.session(session)).toMatchObject({
        seq,
        interruptedSeq: seq - 2,
        asks: 0,
        openCalls: 0,
      })
    }),
  )
  it.effect("[DR4] names Sessions with a call that nobody settled, those that ask included", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* asking(store)
      yield* store.commit(create(2))
      expect(yield* store.unsettled()).toEqual([session])
      yield* store.commit(interrupt)
      expect(yield* store.unsettled()).toEqual([])
    }),
  )
}

function listContract(open: OpenStore): void {
  it.effect("[PE5] lists open asks of one Session or of all, oldest first, and none that ended", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const store = yield* open
        yield* asking(store)
        yield* store.commit(contribute(1, askRaised(2)))
        yield* store.commit(create(2))
        yield* store.commit(contribute(2, askRaised(3)))
        const listed = (id: SessionId | null) =>
          Effect.map(store.asks(id), (asks) => asks.map((ask) => [ask.session, ask.raised.ask]))
        expect(yield* listed(sessionId(1))).toEqual([
          [sessionId(1), "ask_1"],
          [sessionId(1), "ask_2"],
        ])
        expect(yield* listed(sessionId(2))).toEqual([[sessionId(2), "ask_3"]])
        expect(yield* listed(null)).toHaveLength(3)
        yield* store.commit(contribute(1, askAnswered(1)))
        yield* store.commit({ kind: "interrupt", session: sessionId(2), time: 1 })
        expect(yield* listed(null)).toEqual([[sessionId(1), "ask_2"]])
      }),
    ),
  )
}
