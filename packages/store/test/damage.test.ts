import { chmodSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { openInlineStore } from "../src/inline-store.ts"
import { openReadOnlyStore } from "../src/read-only-store.ts"
import { openDriver } from "../src/sqlite/driver.ts"
import { openThreadStore } from "../src/thread-store.ts"
import { place } from "./place.ts"
import {
  acquire,
  admit,
  append,
  callPart,
  callSettled,
  callStarted,
  create,
  fork,
  partRecorded,
  promoted,
  promptId,
  sessionId,
  textPart,
  turnStarted,
} from "./records.ts"

const session = sessionId(1)

/** A closed store with one promoted prompt (2), an answer with text (5) and a settled call (6, 8). */
const written = Effect.gen(function* () {
  const { file } = yield* place
  const store = yield* openInlineStore({ file })
  yield* store.commit(create(1))
  yield* store.commit(admit(1, 1))
  yield* store.commit(acquire(1))
  yield* store.commit(append(1, 1, [promoted(1, 2), turnStarted(1), partRecorded(1, 0, textPart("find-me"))]))
  yield* store.commit(append(1, 1, [partRecorded(1, 1, callPart(1)), callStarted(1, 1), callSettled(1, 1)]))
  yield* store.close()
  return file
})

const openInline = (file: string) =>
  Effect.acquireRelease(openInlineStore({ file }), (store) => Effect.ignore(store.close()))

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

describe("damaged records", () => {
  it.effect("[ST3] reports a flipped byte, leaves that part out and loads the rest", () =>
    Effect.gen(function* () {
      const file = yield* written
      const bytes = readFileSync(file)
      const at = bytes.indexOf("find-me")
      bytes[at] = (bytes[at] ?? 0) ^ 1
      writeFileSync(file, bytes)
      const store = yield* openInline(file)
      const window = yield* store.window(session)
      expect(window?.damage).toEqual([{ session, seq: 5, problem: "the checksum does not match" }])
      expect(window?.state.messages).toMatchObject([
        { kind: "user", text: "text of 1" },
        { kind: "assistant", parts: [{ index: 1, part: { state: "done" } }] },
      ])
      const { events, damage } = yield* store.events(session, 0, 100)
      expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 6, 7, 8])
      expect(damage).toHaveLength(1)
      expect(yield* store.inspect()).toMatchObject({ damage: [{ seq: 5 }], stale: ["ses_1: part"] })
      expect(yield* store.commit(admit(1, 2))).toMatchObject({ kind: "admitted" })
    }),
  )
  it.effect("[ST3 TU2] leaves out a call whose outcome cannot be read", () =>
    Effect.gen(function* () {
      const file = yield* written
      change(file, "UPDATE event SET data = replace(data, 'it is done', 'it is gone') WHERE seq = 8")
      const store = yield* openInline(file)
      const window = yield* store.window(session)
      expect(window?.damage).toMatchObject([{ seq: 8 }])
      expect(window?.state.messages[1]).toMatchObject({ parts: [{ index: 0 }] })
    }),
  )
  it.effect("[ST3] reports a missing event and an event moved to another place", () =>
    Effect.gen(function* () {
      const file = yield* written
      change(file, "DELETE FROM event WHERE seq = 5; UPDATE event SET seq = 99 WHERE seq = 8")
      const store = yield* openInline(file)
      const { damage } = yield* store.events(session, 0, 100)
      expect(damage.map((found) => found.seq)).toEqual([5, 8, 99])
    }),
  )
  it.effect("[ST3] finds projections that differ from the log, and a rebuild mends them", () =>
    Effect.gen(function* () {
      const file = yield* written
      change(
        file,
        "UPDATE session SET summary = json_set(summary, '$.pending', 4); UPDATE inbox SET state = 'pending'; DELETE FROM part",
      )
      const store = yield* openInline(file)
      const tables = ["session", "part", "inbox"].map((table) => `${session}: ${table}`)
      expect((yield* store.inspect()).stale).toEqual(tables)
      yield* store.rebuild()
      expect((yield* store.inspect()).stale).toEqual([])
      expect(yield* store.prompt(promptId(1))).toMatchObject({ receipt: { state: "promoted" } })
    }),
  )
  it.effect("[ST3 WS1] a rebuild finds members of workspaces in the logs of their projects", () =>
    Effect.gen(function* () {
      const file = yield* written
      const store = yield* openInline(file)
      const workspace = { kind: "change-workspace", name: "shop", time: 1 } as const
      yield* store.commit({ ...workspace, change: { to: "create", categories: ["NAMING"] } })
      for (const root of ["/a", "/b", "/c"])
        yield* store.commit({ ...workspace, change: { to: "add", project: { root, origin: null } } })
      yield* store.commit({ ...workspace, change: { to: "share", categories: ["CONSTRAINTS"] } })
      yield* store.commit({ ...workspace, change: { to: "remove", project: { root: "/c", origin: null } } })
      const before = yield* store.workspaces()
      change(file, "DELETE FROM workspace_member; DELETE FROM workspace")
      yield* store.rebuild()
      expect(yield* store.workspaces()).toEqual(before)
      expect(before).toEqual([{ name: "shop", categories: ["CONSTRAINTS"], members: ["/a", "/b"] }])
    }),
  )
  it.effect("[ST3 SS1] forks no log that is damaged, since the copy would look sound", () =>
    Effect.gen(function* () {
      const file = yield* written
      change(file, "UPDATE event SET checksum = checksum + 1 WHERE seq = 2")
      const store = yield* openInline(file)
      const failure = yield* Effect.flip(store.commit(fork(2, 1)))
      expect(failure).toMatchObject({ code: "corrupt", detail: expect.stringContaining("event 2 of ses_1") })
      expect(yield* store.session(sessionId(2))).toBeNull()
      change(file, "DELETE FROM event WHERE seq = 2")
      expect((yield* Effect.flip(store.commit(fork(2, 1)))).code).toBe("corrupt")
    }),
  )
  it.effect("[ST3] a rebuild keeps what a Session is where the event that says so is damaged", () =>
    Effect.gen(function* () {
      const file = yield* written
      const kept = { title: "Roof", policy: "continue", allow: ["bash"] }
      change(file, `UPDATE session SET summary = json_patch(summary, '${JSON.stringify(kept)}')`)
      change(file, "UPDATE event SET checksum = checksum + 1 WHERE seq = 1")
      const store = yield* openInline(file)
      yield* store.rebuild()
      expect(yield* store.session(session)).toMatchObject(kept)
    }),
  )
  it.effect(
    "[ST3] a rebuild leaves the place of a damaged last event taken, and the log goes on behind it",
    () =>
      Effect.gen(function* () {
        const file = yield* written
        change(file, "UPDATE event SET checksum = checksum + 1 WHERE seq = 8")
        const store = yield* openInline(file)
        yield* store.rebuild()
        expect(yield* store.session(session)).toMatchObject({ seq: 8 })
        expect(yield* store.commit(admit(1, 2))).toMatchObject({ kind: "admitted", seq: 9 })
        expect((yield* store.events(session, 8, 10)).events.map(({ seq }) => seq)).toEqual([9])
      }),
  )
  for (const [name, bytes] of [
    ["half a page", 2_048],
    ["some pages", 20_480],
  ] as const) {
    it.effect(`[ST3] answers a file cut to ${name} with a typed failure`, () =>
      Effect.gen(function* () {
        const file = yield* written
        truncateSync(file, bytes)
        const failure = yield* Effect.flip(
          Effect.scoped(Effect.flatMap(openInline(file), (store) => store.window(session))),
        )
        expect(failure.code).toBe("corrupt")
        expect(failure.message).toMatch(/doctor/)
      }),
    )
  }
  it.effect("[ST3] shrinks the file after a Session was deleted, and removes its large blobs", () =>
    Effect.gen(function* () {
      const file = yield* written
      const before = statSync(file).size
      const store = yield* openInline(file)
      const row = { hash: "aa", bytes: new Uint8Array(1_000_000) }
      const large = { hash: "bb", bytes: new Uint8Array(2_000_000) }
      yield* store.commit(append(1, 1, [], { blobs: [row, large], release: "always" }))
      expect(existsSync(`${file}.blobs/bb`)).toBe(true)
      yield* store.commit({ kind: "delete-session", session })
      expect(existsSync(`${file}.blobs/bb`)).toBe(false)
      yield* store.close()
      expect(statSync(file).size).toBeLessThanOrEqual(before)
      const db = new DatabaseSync(file)
      // A Location is nobody's: it stays known. An index without words has these two all the same.
      const kept = "'meta', 'location', 'word_data', 'word_config', 'git_word_data', 'git_word_config'"
      const tables = db
        .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN (${kept})`)
        .all()
      expect(db.prepare("SELECT count(*) AS n FROM word_data").get()?.["n"]).toBeLessThanOrEqual(2)
      for (const { name } of tables) {
        expect([name, db.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.["n"]]).toEqual([name, 0])
      }
      db.close()
    }),
  )
  it.effect(
    "[ST3] takes a lost or cut blob file for a blob that is gone, and mends it when it is given again",
    () =>
      Effect.gen(function* () {
        const { file } = yield* place
        const store = yield* openInline(file)
        yield* store.commit(create(1))
        const bytes = new Uint8Array(2_000_000).fill(7)
        const admitted = (n: number) => store.commit(admit(1, n, { blobs: [{ hash: "bb", bytes }] }))
        yield* admitted(1)
        for (const [n, harm] of [rmSync, truncateSync].entries()) {
          harm(`${file}.blobs/bb`)
          expect(yield* store.blob("bb")).toBeNull()
          yield* admitted(n + 2)
          expect((yield* store.blob("bb"))?.byteLength).toBe(bytes.byteLength)
        }
      }),
  )
  it.effect("[ST3] sweeps blob files that a crash left without a row", () =>
    Effect.gen(function* () {
      const file = yield* written
      const first = yield* openInline(file)
      const large = { hash: "bb", bytes: new Uint8Array(2_000_000) }
      yield* first.commit(append(1, 1, [], { blobs: [large] }))
      yield* first.close()
      writeFileSync(`${file}.blobs/cc`, "orphan")
      writeFileSync(`${file}.blobs/dd.part`, "half")
      const second = yield* openInline(file)
      expect([existsSync(`${file}.blobs/cc`), existsSync(`${file}.blobs/dd.part`)]).toEqual([false, false])
      expect((yield* second.blob("bb"))?.byteLength).toBe(2_000_000)
    }),
  )
})

describe("a disk that refuses", () => {
  it.effect("[ST3 FA1] loses nothing on a full disk, and goes on once there is room", () =>
    Effect.gen(function* () {
      const file = yield* written
      const driver = openDriver({ file, busyMs: 100 })
      const limit = (pages: number) => driver.connection.db.exec(`PRAGMA max_page_count = ${pages}`)
      limit(1)
      const huge = admit(1, "huge", { text: "x".repeat(500_000) })
      const result = driver.apply([admit(1, "a"), huge, admit(1, "b")])
      expect(result.replies).toMatchObject([
        { ok: true, outcome: { kind: "admitted" } },
        { ok: false, failure: { code: "full" } },
        { ok: true, outcome: { kind: "admitted" } },
      ])
      limit(100_000)
      expect(driver.apply([huge]).replies).toMatchObject([{ ok: true, outcome: { kind: "admitted" } }])
      driver.close()
      const store = yield* openInline(file)
      expect((yield* store.inbox(session)).map((prompt) => prompt.id)).toEqual(["prm_a", "prm_b", "prm_huge"])
      expect(yield* store.inspect()).toMatchObject({ damage: [], stale: [] })
    }),
  )
  it.effect("[ST3 PR1] repeats no command whose commit may have reached the disk, and says so", () =>
    Effect.gen(function* () {
      const file = yield* written
      const driver = openDriver({ file, busyMs: 100 })
      failAfterCommit(driver.connection.db)
      const result = driver.apply([admit(1, "a"), admit(1, "b")])
      expect(result.replies).toMatchObject([
        { ok: false, failure: { outcomeUnknown: true } },
        { ok: false, failure: { outcomeUnknown: true } },
      ])
      driver.close()
      const store = yield* openInline(file)
      const { events } = yield* store.events(session, 0, 100)
      const admitted = events.flatMap(({ fact }) => (fact.type === "prompt.admitted" ? [fact.prompt] : []))
      expect(admitted.slice(-2)).toEqual(["prm_a", "prm_b"])
      expect(new Set(admitted).size).toBe(admitted.length)
    }),
  )
  it.effect("[ST3] reads a store that cannot be written, and answers `read_only` to commands", () =>
    Effect.gen(function* () {
      const file = yield* written
      chmodSync(file, 0o444)
      // Root may write everywhere, so the fallback of `open` shows only for other users.
      const root = process.getuid?.() === 0
      for (const open of root
        ? [() => openReadOnlyStore(file)]
        : [() => openInlineStore({ file }), () => openThreadStore({ file })]) {
        const store = yield* Effect.acquireRelease(open(), (opened) => Effect.ignore(opened.close()))
        expect((yield* store.window(session))?.state.messages).toHaveLength(2)
        const failure = yield* Effect.flip(store.commit(admit(1, 2)))
        expect([failure.code, failure.outcomeUnknown]).toEqual(["read_only", false])
      }
    }),
  )
  it.effect("[ST2] waits for a lock of another process instead of failing a prompt", () =>
    Effect.gen(function* () {
      const file = yield* written
      const store = yield* Effect.acquireRelease(openThreadStore({ file }), (opened) =>
        Effect.ignore(opened.close()),
      )
      const other = new DatabaseSync(file)
      other.exec("BEGIN IMMEDIATE")
      const waiting = yield* Effect.forkChild(store.commit(admit(1, 2)))
      const impatient = yield* Effect.acquireRelease(openInlineStore({ file, busyMs: 20 }), (opened) =>
        Effect.ignore(opened.close()),
      )
      expect(yield* Effect.flip(impatient.commit(admit(1, 3)))).toMatchObject({
        code: "busy",
        retryable: true,
      })
      expect(waiting.pollUnsafe()).toBeUndefined()
      other.exec("COMMIT")
      other.close()
      expect(yield* Fiber.join(waiting)).toMatchObject({ kind: "admitted" })
      expect(yield* impatient.commit(admit(1, 3))).toMatchObject({ kind: "admitted" })
    }),
  )
})

/** The disk reports an error for the next commit, which is on it all the same. */
function failAfterCommit(db: DatabaseSync): void {
  const prepare = db.prepare.bind(db)
  db.prepare = (sql) => {
    const statement = prepare(sql)
    if (sql !== "COMMIT") return statement
    const run = statement.run.bind(statement)
    statement.run = () => {
      statement.run = run
      run()
      throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 1034 })
    }
    return statement
  }
}
