/** Contract of facts that anybody may write without the lease. */
import { hash } from "node:crypto"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { FactOf } from "@holdfast/schema/event"
import { type MessageId, SignalId } from "@holdfast/schema/id"
import { contentText } from "@holdfast/schema/state/content-text"
import type { Command, Store } from "../../src/port.ts"
import {
  acquire,
  append,
  callId,
  contribute,
  create,
  historyPublished,
  messageId,
  notice,
  promoted,
  sessionId,
  turnStarted,
} from "../records.ts"
import { held, kindOf } from "./subject.ts"
import type { OpenStore } from "./subject.ts"

const session = sessionId(1)
const overtaken = { kind: "refused", problem: "overtaken" }

const stateOf = (store: Store) => Effect.map(store.window(session), (window) => window?.state)

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
  it.effect("[TU5] tells what any Session learned last of a model, for as long as it is asked for", () =>
    Effect.gen(function* () {
      const store = yield* open
      const model = { provider: "p", model: "m" }
      const learns = (n: number, token: number, time: number, contextTokens: number) =>
        store.commit({ ...append(n, token, [{ type: "limit.learned", model, contextTokens }]), time })
      expect(yield* store.learnedWindow(model, 0)).toBeNull()
      yield* learns(1, yield* held(store), 1_000, 30_000)
      yield* store.commit(create(2))
      const { token } = kindOf("granted", yield* store.commit(acquire(2))).lease
      yield* learns(2, token, 2_000, 20_000)
      expect(yield* store.learnedWindow(model, 0)).toBe(20_000)
      expect(yield* store.learnedWindow(model, 2_000)).toBe(20_000)
      expect(yield* store.learnedWindow(model, 2_001)).toBeNull()
      expect(yield* store.learnedWindow({ ...model, model: "n" }, 0)).toBeNull()
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
        tokens: 1,
      })
      expect((yield* Effect.flip(store.commit(append(1, token, [fact])))).code).toBe("mismatch")
      expect(yield* store.commit(contribute(1, notice(1)))).toMatchObject({ seq: 2, repeated: true })
      // What is left calls for no turn of its own, so the drain may go.
      const release = { kind: "release", session, token, whenIdle: true } as const
      expect(yield* store.commit(release)).toEqual({ kind: "released" })
    }),
  )
}

function publishContract(open: OpenStore): void {
  it.effect("[HI4] publishes a range once, and takes the place of what stands only once", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* held(store, 1, 2, 3, 4)
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
  it.effect(
    "[HI4 HI5] publishes a range only if it holds what was read, with its facts and the move of the boundary in the same commit, or none of them",
    () =>
      Effect.gen(function* () {
        const store = yield* open
        const token = yield* held(store, 1, 2)
        yield* store.commit(append(1, token, [promoted(1, 2), promoted(2, 3)]))
        const read = yield* store.messages(session, { afterSeq: 0, limit: 9, system: false })
        const fingerprint = hash("sha256", contentText(read))
        const move: FactOf<"signal.raised"> = {
          type: "signal.raised",
          signal: SignalId.make("sig_1"),
          kind: "move",
          detail: null,
        }
        const publish = (now: string) => ({
          ...contribute(1, {
            ...historyPublished(1, 5),
            fingerprint: now,
            facts: [{ category: "NAMING", text: "Cages are called pens." }],
          }),
          ifUnchanged: true,
          raises: [move],
          project: { root: "/work", origin: null },
        })
        /** Parts of the history, signals and memories that stand. */
        const standing = Effect.gen(function* () {
          const { items } = (yield* stateOf(store)) ?? {}
          const known = yield* store.memories("/work", { status: "active", limit: 9 })
          return [items?.compartments.size, items?.signals.size, known.memories.length]
        })
        expect(yield* store.commit(publish("another"))).toEqual(overtaken)
        const [first] = read
        yield* store.commit(
          contribute(1, { type: "message.quarantined", message: first?.id as typeof MessageId.Type }),
        )
        expect(yield* store.commit(publish(fingerprint))).toEqual(overtaken)
        expect(yield* standing).toEqual([0, 0, 0])
        const commits: number[] = []
        store.onCommitted((id, seq) => void (id === session && commits.push(seq)))
        const before = (yield* store.session(session))?.seq ?? 0
        const now = yield* store.messages(session, { afterSeq: 0, limit: 9, system: false })
        kindOf("contributed", yield* store.commit(publish(hash("sha256", contentText(now)))))
        expect(yield* standing).toEqual([1, 1, 1])
        expect(commits).toEqual([before + 2])
      }),
  )
}

export function jobContract(open: OpenStore): void {
  publishContract(open)
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
  it.effect("[MD1] takes a job away and leaves its price with its parent, once and in one commit", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* store.commit(create(1))
      yield* store.commit(jobOf(2, 1))
      const gone: [string, number][] = []
      store.onCommitted((id, seq) => void gone.push([id, seq]))
      expect(yield* store.unsettled()).toEqual([sessionId(2)])
      kindOf("granted", yield* store.commit(acquire(2)))
      kindOf("held", yield* store.commit(settled(2, 1)))
      yield* store.commit({ kind: "release", session: sessionId(2), token: 1, whenIdle: false })
      expect(yield* store.commit(settled(2, 3))).toEqual({ kind: "no-job" })
      expect(yield* store.commit(settled(2, 1))).toEqual({ kind: "settled", seq: 2 })
      expect(gone).toEqual([
        [session, 2],
        [sessionId(2), 0],
      ])
      expect(yield* store.commit(settled(2, 1))).toEqual({ kind: "no-job" })
      expect(yield* store.session(session)).toMatchObject({ seq: 2, cost: 0.5, usage: { input: 7 } })
      expect(yield* store.session(sessionId(2))).toBeNull()
      expect(yield* store.unsettled()).toEqual([])
      yield* store.commit(create(3))
      expect(yield* store.commit(settled(3, 1))).toEqual({ kind: "no-job" })
      yield* store.commit(jobOf(4, 3))
      yield* store.commit({ kind: "delete-session", session: sessionId(3) })
      expect(yield* store.commit(settled(4, 3))).toEqual({ kind: "settled", seq: null })
      expect(yield* store.session(sessionId(4))).toBeNull()
    }),
  )
  it.effect("[FA1] what the historian failed at in Sessions that are there stands until a job is done", () =>
    Effect.gen(function* () {
      const store = yield* open
      const settle = Effect.fnUntraced(function* (job: number, parent: number, outcome: "done" | "failed") {
        yield* store.commit(jobOf(job, parent))
        const { fact, ...command } = settled(job, parent)
        yield* store.commit({ ...command, time: 1_000 + job, fact: { ...fact, outcome } })
      })
      const failed = Effect.map(store.recentHistorianJobs(), (jobs) =>
        jobs.map((one) => [one.session, one.time, one.fact.job]),
      )
      for (const n of [1, 2, 3]) yield* store.commit(create(n))
      // The third has no history: none was called for.
      for (const n of [1, 2]) yield* store.commit(contribute(n, historyPublished(1, 1)))
      yield* settle(10, 1, "failed")
      yield* settle(11, 2, "done")
      expect(yield* failed).toEqual([])
      yield* settle(12, 1, "failed")
      yield* settle(13, 2, "failed")
      yield* settle(14, 3, "failed")
      const [first, second] = [12, 13].map((job) => [sessionId(job - 11), 1_000 + job, sessionId(job)])
      expect(yield* failed).toEqual([second, first])
      yield* store.commit({ kind: "delete-session", session: sessionId(2) })
      expect(yield* failed).toEqual([first, [session, 1_010, sessionId(10)]])
      yield* settle(15, 1, "done")
      expect(yield* failed).toEqual([])
    }),
  )
}

const jobOf = (n: number, parent: number): Command => {
  const made = create(n)
  return { ...made, fact: { ...made.fact, kind: "job", parent: { session: sessionId(parent), call: null } } }
}

const settled = (job: number, parent: number) =>
  ({
    kind: "settle-job",
    session: sessionId(parent),
    time: 1_000,
    fact: {
      type: "job.settled",
      job: sessionId(job),
      kind: "historian",
      outcome: "done",
      reason: null,
      usage: { input: 7, output: 1, cacheRead: 0, cacheWrite: 0 },
      cost: 0.5,
    },
  }) as const
