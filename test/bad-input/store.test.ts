/** Stores that cannot be used as they are: newer, full, not writable. */
import { chmodSync, readFileSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { openInlineStore, openReadOnlyStore, openThreadStore, schemaVersion } from "@holdfast/store"
import { type Bench, goodAnswer, withBench } from "./bench.ts"

const large = `large ${"x".repeat(300_000)}`

/** The file of the store, and what waits beside it to be written into it. */
function bytesOf(file: string): { readonly file: Buffer; readonly waiting: number } {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  return { file: readFileSync(file), waiting: log?.size ?? 0 }
}

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

/** Leaves the writing connection no room to grow, or all of it again. */
function setRoom(bench: Bench, room: "none" | "plenty"): void {
  bench.db.exec("PRAGMA incremental_vacuum")
  bench.db.exec(`PRAGMA max_page_count = ${room === "none" ? 1 : 1_000_000}`)
}

describe("a newer store", () => {
  for (const [name, open] of [
    ["inline", (file: string) => openInlineStore({ file })],
    ["on its thread", (file: string) => openThreadStore({ file })],
    ["for reading", openReadOnlyStore],
  ] as const) {
    test(`[ST1] is refused with its code, ${name}, and not one byte of it changes`, () =>
      withBench(async (bench) => {
        const session = bench.newSession()
        bench.say(session, "Before.")
        bench.stop()
        change(bench.file, `PRAGMA user_version = ${schemaVersion + 1}`)
        const before = bytesOf(bench.file)
        const failure = await Effect.runPromise(Effect.flip(open(bench.file)))
        expect(failure).toMatchObject({ _tag: "StoreFailure", code: "newer", outcomeUnknown: false })
        expect(failure.message).toMatch(/Update Holdfast/)
        expect(bytesOf(bench.file)).toEqual(before)
        change(bench.file, `PRAGMA user_version = ${schemaVersion}`)
        bench.start()
        expect(bench.transcript(session)).toEqual(["Before.", goodAnswer])
      }))
  }
})

describe("a full disk", () => {
  test("[ST3 PR1] refuses a prompt as full, keeps all that was acknowledged, and takes it once there is room", () =>
    withBench((bench) => {
      const { runtime } = bench
      const session = bench.newSession()
      bench.say(session, "Before.")
      setRoom(bench, "none")
      const prompt = { sessionID: session, id: "large", text: large, resume: false }
      for (let tries = 0; tries < 3; tries++) {
        const failure = bench.fails(runtime.prompt(prompt))
        expect(failure).toMatchObject({
          _tag: "StoreFailure",
          code: "full",
          retryable: true,
          outcomeUnknown: false,
        })
      }
      expect(bench.transcript(session)).toEqual(["Before.", goodAnswer])
      expect(bench.ok(runtime.inbox(session))).toEqual([])
      setRoom(bench, "plenty")
      expect(bench.ok(runtime.prompt(prompt)).state).toBe("pending")
      expect(bench.say(session, "After.")).toEqual({ kind: "done" })
      bench.stop()
      bench.start()
      expect(bench.transcript(session)).toEqual(["Before.", goodAnswer, large, "After.", goodAnswer])
      expect(bench.ok(bench.store.inspect())).toMatchObject({ damage: [], stale: [] })
    }))

  test("[FA1] before a turn: the drain fails as store_full, nothing is sent, the prompt is still pending", () =>
    withBench((bench) => {
      const { runtime } = bench
      const session = bench.newSession()
      bench.ok(runtime.prompt({ sessionID: session, text: "Wait for room.", resume: false }))
      // The first boundary writes a Baseline; without room for it there is no turn.
      fillUp(bench, session)
      bench.ok(runtime.resume(session))
      expect(bench.settled(session)).toMatchObject({ kind: "failed", reason: { code: "store_full" } })
      expect(bench.requests).toBe(0)
      setRoom(bench, "plenty")
      expect(bench.ok(runtime.inbox(session))[0]).toMatchObject({ text: "Wait for room." })
      bench.ok(runtime.resume(session))
      expect(bench.settled(session)).toEqual({ kind: "done" })
    }))

  test("[ST3 DR4] in the middle of an answer: the drain fails as store_full, and later the turn is settled", () =>
    withBench((bench) => {
      const { runtime } = bench
      const session = bench.newSession()
      bench.behaviour = {
        kind: "reply",
        reply: { blocks: [{ type: "text", text: large }], outputTokens: 1_000 },
      }
      bench.onRequest = () => setRoom(bench, "none")
      expect(bench.say(session, "Tell me all.")).toMatchObject({
        kind: "failed",
        reason: { code: "store_full" },
      })
      expect(bench.transcript(session)[0]).toBe("Tell me all.")
      setRoom(bench, "plenty")
      bench.onRequest = () => {}
      bench.ok(runtime.resume(session))
      expect(bench.settled(session)).toEqual({ kind: "done" })
      expect(bench.settlements(session).map(({ status }) => status)).toEqual(["interrupted", "done"])
      expect(bench.transcript(session).at(-1)).toBe(large)
      expect(bench.ok(bench.store.inspect())).toMatchObject({ damage: [], stale: [] })
      expect(bench.ok(runtime.verify(session)).map(({ verdict }) => verdict.kind)).toEqual(["same", "same"])
    }))
})

/** Takes the last free bytes: small prompts until not even one fits. */
function fillUp(bench: Bench, session: string): void {
  setRoom(bench, "none")
  for (let count = 0; count < 1_000; count++) {
    const prompt = bench.runtime.prompt({ sessionID: session, text: `Fill ${count}.`, resume: false })
    const full = bench.ok(Effect.match(prompt, { onFailure: () => true, onSuccess: () => false }))
    if (full) return
  }
  throw new Error("the store never became full")
}

describe("a store that cannot be written", () => {
  test("[ST3 FA1] answers reads, refuses a prompt as read_only, and works again once it may write", () =>
    withBench((bench) => {
      const { runtime } = bench
      const session = bench.newSession()
      bench.say(session, "Before.")
      bench.db.exec("PRAGMA query_only = ON")
      const readOnly = { _tag: "StoreFailure", code: "read_only", outcomeUnknown: false }
      expect(bench.fails(runtime.prompt({ sessionID: session, text: "Meanwhile." }))).toMatchObject(readOnly)
      expect(bench.fails(runtime.create({ directory: bench.project }))).toMatchObject(readOnly)
      expect(bench.transcript(session)).toEqual(["Before.", goodAnswer])
      bench.db.exec("PRAGMA query_only = OFF")
      expect(bench.say(session, "After.")).toEqual({ kind: "done" })
    }))

  test("[ST3 FA1] opened for reading: history is there, input is refused, pending input is not touched", () =>
    withBench((bench) => {
      const session = bench.newSession()
      bench.say(session, "Before.")
      bench.ok(bench.runtime.prompt({ sessionID: session, text: "Pending.", resume: false }))
      bench.stop()
      bench.start(Effect.runSync(openReadOnlyStore(bench.file)))
      const { runtime } = bench
      expect(bench.transcript(session)).toEqual(["Before.", goodAnswer])
      expect(bench.fails(runtime.prompt({ sessionID: session, text: "Meanwhile." }))).toMatchObject({
        code: "read_only",
      })
      expect(bench.fails(runtime.interrupt(session))).toMatchObject({ code: "read_only" })
      bench.ok(runtime.resume(session))
      expect(bench.settled(session)).toMatchObject({ kind: "failed", reason: { code: "store_read_only" } })
      expect(bench.requests).toBe(1)
      bench.stop()
      bench.start()
      bench.ok(bench.runtime.resume(session))
      expect(bench.settled(session)).toEqual({ kind: "done" })
      expect(bench.transcript(session)).toEqual(["Before.", goodAnswer, "Pending.", goodAnswer])
    }))

  test("[ST3] without permission to write opens for reading", ({ skip }) => {
    if (process.getuid?.() === 0) skip("the superuser may write everywhere")
    return withBench((bench) => {
      const session = bench.newSession()
      bench.stop()
      chmodSync(bench.file, 0o444)
      bench.start()
      expect(bench.fails(bench.runtime.prompt({ sessionID: session, text: "Hello." }))).toMatchObject({
        code: "read_only",
      })
      bench.stop()
      chmodSync(bench.file, 0o600)
    })
  })
})
