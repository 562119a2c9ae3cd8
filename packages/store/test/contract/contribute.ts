/** Contract of facts that anybody may write without the lease, and of what an interrupt withdraws. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
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
  historyPublished,
  messageId,
  notice,
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
const overtaken = { kind: "refused", problem: "overtaken" }

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

export function contributeContract(open: OpenStore): void {
  it.effect("takes a title while somebody holds the Session, who goes on under the same lease", () =>
    Effect.gen(function* () {
      const store = yield* open
      const title = contribute(1, { type: "session.updated", title: "Mine", titledBy: "person" })
      expect(yield* store.commit(title)).toEqual({ kind: "no-session" })
      const token = yield* held(store)
      expect(yield* store.commit(title)).toEqual({ kind: "contributed", seq: 2, repeated: false })
      expect(yield* store.session(session)).toMatchObject({ title: "Mine", titledBy: "person" })
      kindOf("appended", yield* store.commit(append(1, token, [turnStarted(1)])))
    }),
  )
  it.effect("[PR7] admits a notice once, and shows it as nobody's words", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      expect(yield* store.commit(contribute(1, notice(1)))).toMatchObject({ seq: 2, repeated: false })
      yield* store.commit(contribute(1, notice(2, false)))
      expect(yield* store.commit(contribute(1, notice(1)))).toMatchObject({ seq: 2, repeated: true })
      expect(yield* store.session(session)).toMatchObject({ pending: 2, quiet: 1, seq: 3 })
      const { type: _, ...told } = notice(1)
      const waiting = { ...told, session, admittedSeq: 2, bodySeq: 2 }
      expect((yield* stateOf(store))?.inbox).toMatchObject([waiting, { wakes: false }])
      expect(yield* store.inbox(session)).toEqual([])
      const message = messageId("n1")
      const fact = {
        type: "notice.promoted",
        notice: told.notice,
        wakes: true,
        message,
        bodySeq: 2,
        tokens: 1,
        added: [],
      } as const
      yield* store.commit(append(1, token, [fact]))
      expect(yield* store.message(session, message)).toEqual({
        id: message,
        seq: 4,
        kind: "notice",
        notice: told.notice,
        source: told.source,
        text: told.text,
      })
      expect((yield* Effect.flip(store.commit(append(1, token, [fact])))).code).toBe("mismatch")
      expect(yield* store.commit(contribute(1, notice(1)))).toMatchObject({ seq: 2, repeated: true })
      // What is left calls for no turn of its own, so the drain may go.
      const release = { kind: "release", session, token, whenIdle: true } as const
      expect(yield* store.commit(release)).toEqual({ kind: "released" })
    }),
  )
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
  it.effect("[PE6] [DR3] withdraws open asks where nobody holds the Session, and settles their calls", () =>
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
  it.effect(
    "[PE6] [DR3] stores the interrupt before what it withdraws where somebody holds the Session",
    () =>
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
  it.effect("[HI4] publishes a range once, and takes the place of what stands only once", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* asking(store)
      kindOf("contributed", yield* store.commit(contribute(1, historyPublished(1, 3))))
      for (const range of [historyPublished(1, 3), historyPublished(2, 4), historyPublished(5, 6)])
        expect(yield* store.commit(contribute(1, range))).toEqual(overtaken)
      kindOf("contributed", yield* store.commit(contribute(1, historyPublished(4, 5))))
      const again = contribute(1, historyPublished(1, 3, ["c1-3"]))
      kindOf("contributed", yield* store.commit(again))
      expect(yield* store.commit(again)).toEqual(overtaken)
      expect([...((yield* stateOf(store))?.items.compartments.keys() ?? [])]).toEqual(["c4-5", "c1-3+"])
      expect((yield* store.session(session))?.historyEnd).toBe(5)
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
  it.effect("[MD1] lists no jobs, from either side, and still finds one by its id", () =>
    Effect.gen(function* () {
      const store = yield* open
      const job = create(2)
      yield* store.commit(create(1))
      yield* store.commit({ ...job, fact: { ...job.fact, kind: "job", parent: { session, call: null } } })
      const child = create(3)
      yield* store.commit({
        ...child,
        fact: { ...child.fact, kind: "child", parent: { session, call: callId(1) } },
      })
      const ids = (list: Parameters<Store["sessions"]>[0]) =>
        Effect.map(store.sessions(list), (rows) => rows.map(({ id }) => id))
      expect(yield* ids({ limit: 9 })).toEqual([sessionId(3), session])
      expect(yield* ids({ limit: 1, after: sessionId(3) })).toEqual([session])
      expect(yield* ids({ limit: 1, before: session })).toEqual([sessionId(3)])
      expect(yield* store.session(sessionId(2))).toMatchObject({ kind: "job" })
    }),
  )
}
