/** Contract of forks: what a copy of a log holds, where it ends, and that it is made once (SS1). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Fact } from "@holdfast/schema/event"
import type { SignalId } from "@holdfast/schema/id"
import type { Command, Store } from "../../src/port.ts"
import {
  acquire,
  admit,
  append,
  askAnswered,
  askRaised,
  callId,
  callPart,
  callSettled,
  callStarted,
  contextUpdated,
  contribute,
  create,
  cutBelow,
  epochStarted,
  fork,
  messageId,
  move,
  notice,
  partRecorded,
  promoted,
  promptId,
  sessionId,
  textPart,
  turnSettled,
  turnStarted,
} from "../records.ts"
import { held, kindOf } from "./subject.ts"
import type { OpenStore } from "./subject.ts"

const source = sessionId(1)
const copy = sessionId(2)

/** Two exchanges, the first with a call, the second behind a context update: events 2 to 18. */
const conversation: readonly Fact[] = [
  epochStarted("Baseline", "monday"),
  promoted(1, 2),
  turnStarted(1, 4),
  partRecorded(1, 0, callPart(1)),
  callStarted(1, 1),
  callSettled(1, 1),
  turnSettled(1, "continue"),
  turnStarted(2, 10),
  partRecorded(2, 0, textPart("Look.")),
  turnSettled(2),
]
const second: readonly Fact[] = [promoted(2, 13), contextUpdated(1, "tuesday"), turnStarted(3, 15)]

/** Session 1 after both, held with the returned token; its log ends at 18. */
const talked = Effect.fnUntraced(function* (store: Store) {
  const token = yield* held(store, 1)
  yield* store.commit(append(1, token, conversation))
  yield* store.commit(admit(1, 2))
  yield* store.commit(append(1, token, second))
  yield* store.commit(append(1, token, [partRecorded(3, 0, textPart("Yes.")), turnSettled(3)]))
  return token
})

const events = (store: Store, session = copy) =>
  Effect.map(store.events(session, 0, 1_000), (page) => {
    expect(page.damage).toEqual([])
    return page.events
  })
const stateOf = (store: Store, session = copy) =>
  Effect.map(store.window(session), (window) => window?.state ?? null)
const forked = Effect.fnUntraced(function* (store: Store, ...more: Parameters<typeof fork>) {
  return kindOf("forked", yield* store.commit(fork(...more)))
})
const sound = Effect.fnUntraced(function* (store: Store) {
  const { damage, stale } = yield* store.inspect()
  expect({ damage, stale }).toEqual({ damage: [], stale: [] })
})

export function forkContract(open: OpenStore): void {
  it.effect("[SS1] copies every fact to its own sequence, with its ids and its time", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* talked(store)
      const { row, repeated } = yield* forked(store, 2, 1)
      expect(repeated).toBe(false)
      expect(row).toEqual(yield* store.session(copy))
      const origin = { kind: "fork", source, seq: 18 }
      expect(row).toMatchObject({ id: copy, seq: 19, createdAt: 9_000, updatedAt: 9_000, turns: 3, origin })
      const [theirs, ours] = [yield* events(store, source), yield* events(store)]
      const rest = (list: typeof theirs) =>
        list.slice(1, 18).map(({ fact, seq, time, version }) => {
          const { prompt: _, ...said } = fact as Fact & { readonly prompt?: string }
          return { said, seq, time, version }
        })
      expect(rest(ours)).toEqual(rest(theirs))
      expect(ours[0]?.fact).toEqual({ ...create(1).fact, origin })
      const [one, two] = [yield* stateOf(store, source), yield* stateOf(store)]
      expect({ ...two?.epoch }).toEqual({ ...one?.epoch })
      const texts = (messages = two?.messages) => messages?.map(({ id, seq, kind }) => ({ id, seq, kind }))
      expect(texts()).toEqual(texts(one?.messages))
      yield* sound(store)
      yield* store.rebuild()
      expect(yield* store.session(copy)).toEqual(row)
    }),
  )
  it.effect("[SS1 PR2] gives copied prompts ids of their own, each one to all of its facts", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1, 2)
      yield* store.commit({ kind: "edit-prompt", session: source, time: 3, prompt: promptId(1), text: "x" })
      yield* store.commit({ kind: "cancel-prompt", session: source, time: 3, prompt: promptId(2) })
      yield* store.commit(append(1, token, [promoted(1, 4), turnStarted(1), turnSettled(1)]))
      yield* forked(store, 2, 1)
      const prompts = (yield* events(store)).flatMap(({ fact }) => ("prompt" in fact ? [fact.prompt] : []))
      const [first, other] = [promptId("of_2:1"), promptId("of_2:2")]
      expect(prompts).toEqual([first, other, first, other, first])
      expect(yield* store.prompt(first)).toMatchObject({ receipt: { session: copy, state: "promoted" } })
      expect(yield* store.prompt(promptId(1))).toMatchObject({ receipt: { session: source } })
      expect(yield* store.commit(admit(2, 1))).toEqual({ kind: "conflict" })
      expect((yield* stateOf(store))?.messages[0]).toMatchObject({ prompt: first, text: "x" })
    }),
  )
}

export function forkRepeatContract(open: OpenStore): void {
  it.effect("[SS1] is made once: a repeat answers with it, and another fork under its id is a conflict", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* talked(store)
      const message = messageId("t2")
      const { row } = yield* forked(store, 2, 1, { title: "Mine", message })
      yield* store.commit(admit(1, 3))
      yield* store.commit(append(1, token, [promoted(3, 19), turnStarted(4), turnSettled(4)]))
      expect(yield* forked(store, 2, 1, { title: "Mine", message, time: 1 })).toEqual({
        kind: "forked",
        row,
        repeated: true,
      })
      const conflicts: readonly Command[] = [
        fork(2, 1, { title: "Mine" }),
        fork(2, 1, { message }),
        fork(2, 1, { title: "Mine", message: messageId("t3") }),
        fork(2, 9, { title: "Mine", message }),
        fork(1, 1),
        create(2),
      ]
      for (const command of conflicts) expect(yield* store.commit(command)).toEqual({ kind: "conflict" })
      yield* store.commit(create(3))
      expect(yield* store.commit(fork(3, 1))).toEqual({ kind: "conflict" })
      yield* store.commit({ kind: "release", session: source, token, whenIdle: false })
      yield* store.commit({ kind: "delete-session", session: source })
      expect(yield* forked(store, 2, 1, { title: "Mine", message })).toMatchObject({ repeated: true })
      expect(yield* store.commit(fork(4, 1))).toEqual({ kind: "no-session" })
      yield* sound(store)
    }),
  )
  it.effect("[SS1] shares the blobs of its source, and keeps them when the source goes", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      const blob = { hash: "aa", bytes: new Uint8Array([1, 2, 3]) }
      yield* store.commit(append(1, token, [turnStarted(1), turnSettled(1)], { blobs: [blob] }))
      yield* forked(store, 2, 1)
      yield* store.commit({ kind: "release", session: source, token, whenIdle: false })
      yield* store.commit({ kind: "delete-session", session: source })
      expect(yield* store.blob("aa")).toEqual(blob.bytes)
      yield* store.commit({ kind: "delete-session", session: copy })
      expect(yield* store.blob("aa")).toBeNull()
    }),
  )
}

export function forkOwnContract(open: OpenStore): void {
  it.effect("[SS1] spends nothing by copying what was spent", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* talked(store)
      yield* forked(store, 2, 1)
      expect(yield* store.session(copy)).toMatchObject({ turns: 3, cost: 0, usage: { input: 0, output: 0 } })
      const { token } = kindOf("granted", yield* store.commit(acquire(2))).lease
      yield* store.commit(append(2, token, [turnStarted(4), turnSettled(4)]))
      expect(yield* store.session(copy)).toMatchObject({ turns: 4, usage: { input: 1, output: 2 } })
      yield* sound(store)
    }),
  )
  it.effect(
    "[SS1] has the title, the policy and the permissions that its source has now, and is nobody's child",
    () =>
      Effect.gen(function* () {
        const store = yield* open
        const child = create(1)
        const parent = { session: sessionId(7), call: null }
        yield* store.commit({ ...child, fact: { ...child.fact, kind: "child", parent, allow: ["bash"] } })
        yield* store.commit(contribute(1, { type: "session.updated", allow: ["write"] }))
        yield* store.commit(
          contribute(1, { type: "session.updated", title: "T", titledBy: "person", policy: "continue" }),
        )
        const reason = { code: "x", message: "y" }
        const waiting = { until: 9, reason }
        yield* store.commit(
          contribute(1, { type: "session.updated", archived: true, blocked: reason, waiting }),
        )
        const { row } = yield* forked(store, 2, 1)
        expect(row).toMatchObject({ kind: "primary", parent: null, title: "T", titledBy: "person" })
        expect(row).toMatchObject({ policy: "continue", allow: ["write"], archived: false })
        expect(row).toMatchObject({ blocked: null, waiting: null })
        const { row: titled } = yield* forked(store, 3, 1, { title: "Mine" })
        expect(titled).toMatchObject({ title: "Mine", titledBy: "person" })
      }),
  )
  it.effect("[SS1] takes cuts along, and the place that its source was at", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* talked(store)
      yield* store.commit(append(1, token, [cutBelow(13), turnStarted(4), turnSettled(4)]))
      yield* store.commit(move(1, "/srv/there"))
      const { row } = yield* forked(store, 2, 1, { message: messageId("t4") })
      expect(row).toMatchObject({ windowFrom: 13, location: { directory: "/srv/here" } })
      const [one, two] = [yield* stateOf(store, source), yield* stateOf(store)]
      expect(two?.messages.map(({ id }) => id)).toEqual(one?.messages.map(({ id }) => id))
      expect([one?.epoch, two?.epoch?.baseline]).toEqual([null, "Baseline"])
      expect((yield* forked(store, 3, 1)).row.location.directory).toBe("/srv/there")
    }),
  )
}

export function forkPointContract(open: OpenStore): void {
  const endOf = Effect.fnUntraced(function* (store: Store, message: string) {
    const { row } = yield* forked(store, 2, 1, { message: messageId(message) })
    yield* store.commit({ kind: "delete-session", session: copy })
    return row.origin?.seq
  })

  it.effect("[SS1] ends with the message that was named, and what its boundary said beside it", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* talked(store)
      expect(yield* endOf(store, "p1")).toBe(4)
      expect(yield* endOf(store, "t1")).toBe(9)
      expect(yield* endOf(store, "t2")).toBe(12)
      expect(yield* endOf(store, "p2")).toBe(15)
      expect(yield* endOf(store, "s1")).toBe(15)
      expect(yield* endOf(store, "t3")).toBe(18)
      expect(yield* store.commit(fork(2, 1, { message: messageId("none") }))).toEqual({ kind: "no-message" })
      yield* store.commit(create(3))
      expect(yield* store.commit(fork(2, 3, { message: messageId("t1") }))).toEqual({ kind: "no-message" })
    }),
  )
  it.effect("[SS1 DR5] owes what its last message asks for, and begins nothing by itself", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1)
      yield* store.commit(contribute(1, { type: "session.updated", policy: "continue" }))
      yield* store.commit(append(1, token, [promoted(1, 2), turnStarted(1), turnSettled(1)]))
      const { row } = yield* forked(store, 2, 1, { message: messageId("p1") })
      expect(row).toMatchObject({ owing: true, stopped: true, policy: "continue", turns: 0 })
      expect((yield* forked(store, 3, 1)).row).toMatchObject({ owing: false, stopped: false })
    }),
  )
}

export function forkUnsettledContract(open: OpenStore): void {
  it.effect("[SS1] of a Session at work ends before the boundary of the turn that runs", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1)
      yield* store.commit(append(1, token, conversation))
      yield* store.commit(admit(1, 2))
      yield* store.commit(append(1, token, [...second, partRecorded(3, 0, callPart(2))]))
      const part = { index: 1, at: 0, type: "text", text: "Ye" } as const
      yield* store.commit({
        kind: "checkpoint",
        session: source,
        time: 5_000,
        token,
        turn: turnStarted(3).turn,
        parts: [part],
      })
      for (const message of ["t3", "s1"])
        expect([message, (yield* store.commit(fork(5, 1, { message: messageId(message) }))).kind]).toEqual([
          message,
          message === "t3" ? "unsettled" : "forked",
        ])
      const { row } = yield* forked(store, 2, 1)
      expect(row).toMatchObject({ origin: { seq: 13 }, pending: 0, openTurn: null, openCalls: 0, turns: 2 })
      const window = yield* store.window(copy)
      expect(window?.scratch).toEqual([])
      expect(window?.state.messages.map(({ id }) => id)).toEqual(["msg_p1", "msg_t1", "msg_t2"])
      expect(yield* store.lease(copy)).toBeNull()
      expect((yield* events(store))[12]?.fact).toEqual({ type: "session.updated" })
      yield* store.commit(append(1, token, [callSettled(3, 2), turnSettled(3)]))
      expect((yield* forked(store, 3, 1)).row.origin?.seq).toBe(19)
      yield* sound(store)
    }),
  )
  it.effect("[PE6 SS1] copies nothing that its source still waits for", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1, 2)
      const command: Fact = { type: "command.started", command: "c", call: callId(1), line: "make" }
      yield* store.commit(append(1, token, [promoted(1, 2), turnStarted(1), command, turnSettled(1)]))
      yield* store.commit({ kind: "edit-prompt", session: source, time: 3, prompt: promptId(2), text: "?" })
      yield* store.commit(contribute(1, notice(1)))
      yield* store.commit(contribute(1, askRaised(1)))
      yield* store.commit(contribute(1, askAnswered(1)))
      yield* store.commit(contribute(1, askRaised(2)))
      const signal = "sig_1" as SignalId
      yield* store.commit(contribute(1, { type: "signal.raised", signal, kind: "fold", detail: null }))
      const { row } = yield* forked(store, 2, 1)
      expect(row).toMatchObject({ pending: 0, quiet: 0, asks: 0, owing: false })
      const state = yield* stateOf(store)
      expect([state?.inbox, [...(state?.items.signals ?? [])]]).toEqual([[], []])
      expect([...(state?.items.commands ?? [])]).toEqual([])
      expect([...(state?.items.asks.keys() ?? [])]).toEqual(["ask_1"])
      expect(JSON.stringify(yield* events(store))).not.toContain("text of 2")
      yield* sound(store)
    }),
  )
}
