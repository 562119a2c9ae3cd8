import { existsSync } from "node:fs"
import { MessageChannel } from "node:worker_threads"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { openInlineStore } from "../src/inline-store.ts"
import type { Gate } from "../src/inline-store.ts"
import type { Store } from "../src/port.ts"
import type { Reply } from "../src/sqlite/driver.ts"
import { beginThread, beginWriter, beginWriterAhead } from "../src/thread/begin.ts"
import { makeOutbox } from "../src/thread/link.ts"
import { openThreadStore } from "../src/thread-store.ts"
import { place } from "./place.ts"
import { admit, create, promptId, sessionId } from "./records.ts"

const session = sessionId(1)
const closing = (store: Store) => Effect.ignore(store.close())
const callers = Array.from({ length: 64 }, (_, n) => n)

describe("writer thread", () => {
  it.effect("[PR1] shares few transactions among 64 concurrent admissions", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const batches: number[] = []
      const open = openThreadStore({ file, onBatch: (commands) => batches.push(commands) })
      const store = yield* Effect.acquireRelease(open, closing)
      yield* store.commit(create(1))
      batches.length = 0
      const outcomes = yield* Effect.forEach(callers, (n) => store.commit(admit(1, n)), {
        concurrency: "unbounded",
      })
      expect(outcomes.every((outcome) => outcome.kind === "admitted")).toBe(true)
      expect(batches.reduce((sum, commands) => sum + commands, 0)).toBe(64)
      expect(batches.length).toBeLessThanOrEqual(4)
      expect((yield* store.inbox(session)).map((prompt) => prompt.id)).toEqual(callers.map(promptId))
    }),
  )
  it.effect(
    "[PR1] a thread that dies leaves its commands with an unknown outcome, and a repeat finds out",
    () =>
      Effect.gen(function* () {
        const { file } = yield* place
        const worker = new URL("./dying-worker.ts", import.meta.url)
        const store = yield* Effect.acquireRelease(openThreadStore({ file, worker }), closing)
        yield* store.commit(create(1))
        const failure = yield* Effect.flip(store.commit(admit(1, 1)))
        expect([failure.code, failure.outcomeUnknown]).toEqual(["unavailable", true])
        const later = yield* Effect.flip(store.commit(admit(1, 2)))
        expect([later.code, later.outcomeUnknown]).toEqual(["unavailable", false])
        const again = yield* Effect.acquireRelease(openThreadStore({ file }), closing)
        expect(yield* again.commit(admit(1, 1))).toMatchObject({ kind: "admitted", repeated: true })
      }),
  )
  it("[PR1] a thread that dies tells of a command that never left for it that nothing came of it", () => {
    const { port1 } = new MessageChannel()
    const told: (readonly [string, boolean | null])[] = []
    const note = (name: string) => (reply: Reply) =>
      void told.push([name, reply.ok ? null : reply.failure.outcomeUnknown])
    const outbox = makeOutbox(port1)
    outbox.add(create(1), note("posted"))
    outbox.post()
    outbox.add(admit(1, 1), note("kept"))
    outbox.abandon(new Error("it died"))
    port1.close()
    expect(new Map(told)).toEqual(
      new Map([
        ["posted", true],
        ["kept", false],
      ]),
    )
  })
  it.effect("a command that cannot cross threads fails alone", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const store = yield* Effect.acquireRelease(openThreadStore({ file }), closing)
      const broken = { ...create(2), time: (() => 1) as never }
      const [good, bad] = yield* Effect.all([store.commit(create(1)), Effect.flip(store.commit(broken))], {
        concurrency: "unbounded",
      })
      expect([good.kind, bad.outcomeUnknown]).toEqual(["created", false])
    }),
  )
  it.effect("a thread that was begun before is the one that writes, and opens nothing until then", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const writer = beginWriter()
      expect(existsSync(file)).toBe(false)
      const store = yield* Effect.acquireRelease(openThreadStore({ file, writer }), closing)
      expect(writer.take()).toBe(null)
      writer.end() // is for those who have not opened
      expect(yield* store.commit(create(1))).toEqual({ kind: "created", seq: 1 })
    }),
  )
  it.effect("a thread that was begun ahead is the next that is asked for, once", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      beginWriterAhead()
      beginWriterAhead()
      // Where one is begun ahead, no entry is looked at; another one would fail to load.
      const nowhere = new URL("./no-such-worker.ts", import.meta.url)
      const writer = beginWriter(nowhere)
      const store = yield* Effect.acquireRelease(openThreadStore({ file, writer }), closing)
      expect(yield* store.commit(create(1))).toEqual({ kind: "created", seq: 1 })
      const second = beginWriter(nowhere).take()
      expect(String(yield* Effect.promise(() => second?.ended ?? Promise.resolve()))).toContain(
        "no-such-worker",
      )
    }),
  )
  it.effect("a thread that died before it was needed refuses as one that dies while it opens", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const thread = beginThread(new URL("./no-such-worker.ts", import.meta.url))
      yield* Effect.promise(() => thread.ended)
      const writer = { take: () => thread, end: () => {} }
      expect((yield* Effect.flip(openThreadStore({ file, writer }))).code).toBe("unavailable")
    }),
  )
  it.effect("commits what was handed over before it closes", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const store = yield* openThreadStore({ file })
      const last = yield* Effect.forkChild(store.commit(create(1)), { startImmediately: true })
      yield* store.close()
      expect(yield* Fiber.join(last)).toEqual({ kind: "created", seq: 1 })
    }),
  )
})

describe("inline", () => {
  it.effect("a row that it has read is read anew where another process wrote it", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const store = yield* Effect.acquireRelease(openInlineStore({ file }), closing)
      yield* store.commit(create(1))
      expect((yield* store.session(session))?.seq).toBe(1)
      const other = yield* Effect.acquireRelease(openThreadStore({ file }), closing)
      yield* other.commit(admit(1, 1))
      expect((yield* store.session(session))?.seq).toBe(2)
    }),
  )
  it("commits synchronously without a gate", () => {
    Effect.runSync(
      Effect.scoped(
        Effect.gen(function* () {
          const { file } = yield* place
          const store = yield* Effect.acquireRelease(openInlineStore({ file }), closing)
          expect(yield* store.commit(create(1))).toEqual({ kind: "created", seq: 1 })
        }),
      ),
    )
  })
  it.effect("[PR1] commands that arrive while the gate is shut share its transaction", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const opened = yield* Deferred.make<void>()
      const batches: number[] = []
      const gate: Gate = (commit) => Effect.andThen(Deferred.await(opened), Effect.sync(commit))
      const open = openInlineStore({ file, gate, onBatch: (commands) => batches.push(commands) })
      const store = yield* Effect.acquireRelease(open, closing)
      const first = yield* Effect.forkChild(store.commit(create(1)), { startImmediately: true })
      const rest = yield* Effect.forkChild(
        Effect.forEach(callers, (n) => store.commit(admit(1, n)), { concurrency: "unbounded" }),
        { startImmediately: true },
      )
      expect(yield* store.session(session)).toBeNull()
      yield* Deferred.succeed(opened, undefined)
      yield* Fiber.join(first)
      expect(yield* Fiber.join(rest)).toHaveLength(64)
      expect(batches).toEqual([65])
    }),
  )
  it.effect("an interrupted caller at the gate takes nobody down with it", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      let gates = 0
      const gate: Gate = (commit) => (++gates === 1 ? Effect.never : Effect.sync(commit))
      const store = yield* Effect.acquireRelease(openInlineStore({ file, gate }), closing)
      const first = yield* Effect.forkChild(store.commit(create(1)), { startImmediately: true })
      const second = yield* Effect.forkChild(store.commit(admit(1, 1)), { startImmediately: true })
      yield* Fiber.interrupt(first)
      expect(yield* Fiber.join(second)).toMatchObject({ kind: "admitted" })
      expect(yield* store.commit(admit(1, 2))).toMatchObject({ kind: "admitted" })
    }),
  )
  it.effect("a command caught at the gate by a close is refused", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const opened = yield* Deferred.make<void>()
      const gate: Gate = (commit) => Effect.andThen(Deferred.await(opened), Effect.sync(commit))
      const store = yield* openInlineStore({ file, gate })
      const caught = yield* Effect.forkChild(Effect.flip(store.commit(create(1))), { startImmediately: true })
      yield* store.close()
      yield* Deferred.succeed(opened, undefined)
      expect(yield* Fiber.join(caught)).toMatchObject({ code: "closed", outcomeUnknown: false })
    }),
  )
})
