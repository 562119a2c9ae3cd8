import { hash } from "node:crypto"
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { openInlineStore } from "../src/inline-store.ts"
import { examineStore } from "../src/sqlite/examine.ts"
import { schemaVersion } from "../src/sqlite/migrate.ts"
import { place } from "./place.ts"
import {
  acquire,
  admit,
  append,
  create,
  partRecorded,
  promoted,
  sessionId,
  textPart,
  turnStarted,
} from "./records.ts"

const session = sessionId(1)

const blob = (bytes: Buffer) => ({ hash: hash("sha256", bytes), bytes })
const large = blob(Buffer.alloc(2_000_000, "large"))
const small = blob(Buffer.from("small enough for a row"))

/** Two Sessions: one with an open turn and its lease, one with a pending prompt. */
const written = Effect.gen(function* () {
  const { file } = yield* place
  const store = yield* openInlineStore({ file })
  yield* store.commit(create(1))
  yield* store.commit(admit(1, 1))
  yield* store.commit(acquire(1))
  const facts = [promoted(1, 2), turnStarted(1), partRecorded(1, 0, textPart("find-me"))]
  yield* store.commit(append(1, 1, facts, { blobs: [large, small] }))
  yield* store.commit(create(2))
  yield* store.commit(admit(2, 2))
  yield* store.close()
  return file
})

/** Every file of the data directory with the hash of its bytes. */
const contents = (file: string) =>
  readdirSync(dirname(file), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, hash("sha256", readFileSync(join(entry.parentPath, entry.name)))])

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

describe("examining a store", () => {
  it.effect("[FA1 ST3] tells a damaged search index, which is made anew, apart from a damaged file", () =>
    Effect.gen(function* () {
      const file = yield* written
      const db = new DatabaseSync(file, { defensive: false })
      db.exec("UPDATE word_data SET block = x'ffffffffffff'")
      db.close()
      const { integrity, index, damage } = examineStore(file)
      expect([integrity, damage]).toEqual([[], []])
      expect(index).toEqual([expect.stringContaining("fts5")])
    }),
  )

  it.effect("[ST3] tells what is in a sound one, and changes no file of it", () =>
    Effect.gen(function* () {
      const file = yield* written
      const before = contents(file)
      expect(examineStore(file)).toMatchObject({
        state: "looked-at",
        failure: null,
        schemaVersion,
        schemaVersionKnown: schemaVersion,
        sessions: 2,
        events: 7,
        integrity: [],
        index: [],
        damage: [],
        stale: [],
        leases: [{ session, token: 1 }],
        unfinished: [
          { id: session, owing: true },
          { id: sessionId(2), pending: 1 },
        ],
      })
      expect(contents(file)).toEqual(before)
    }),
  )

  it.effect("[ST3] reads one that a writer has open, its last commits included", () =>
    Effect.gen(function* () {
      const file = yield* written
      const store = yield* Effect.acquireRelease(openInlineStore({ file }), (open) =>
        Effect.ignore(open.close()),
      )
      yield* store.commit(admit(2, 3))
      const db = readFileSync(file)
      const wal = readFileSync(`${file}-wal`)
      expect(examineStore(file)).toMatchObject({ events: 8, damage: [], unfinished: [{}, { pending: 2 }] })
      expect([readFileSync(file).equals(db), readFileSync(`${file}-wal`).equals(wal)]).toEqual([true, true])
    }),
  )

  it("says that none is there, and makes none", () => {
    const file = join(import.meta.dirname, "nowhere", "holdfast.db")
    expect(examineStore(file)).toMatchObject({ state: "absent", failure: null })
  })

  const damages: readonly {
    readonly name: string
    readonly damage: (file: string) => void
    readonly found: object
  }[] = [
    {
      name: "a flipped byte",
      damage: (file) => {
        const bytes = readFileSync(file)
        const at = bytes.indexOf("find-me")
        bytes[at] = (bytes[at] ?? 0) ^ 1
        writeFileSync(file, bytes)
      },
      found: { damage: [{ session, seq: 5, problem: "the checksum does not match" }] },
    },
    {
      name: "a missing event",
      damage: (file) => change(file, "DELETE FROM event WHERE seq = 4 AND session = 1"),
      found: { damage: [{ session, seq: 4 }] },
    },
    {
      name: "projections that differ from the log",
      damage: (file) => change(file, "UPDATE session SET due = 1 WHERE key = 2"),
      found: { damage: [], stale: [{ session: sessionId(2), table: "session" }] },
    },
    {
      name: "a blob without its file",
      damage: (file) => rmSync(`${file}.blobs/${large.hash}`),
      found: { damage: [{ session, seq: null, problem: `the blob ${large.hash}: its file is missing` }] },
    },
    {
      name: "a blob that was cut",
      damage: (file) => truncateSync(`${file}.blobs/${large.hash}`, 7),
      found: { damage: [{ problem: `the blob ${large.hash}: it has 7 bytes in place of 2000000` }] },
    },
    {
      name: "a blob of other bytes, in a file",
      damage: (file) => writeFileSync(`${file}.blobs/${large.hash}`, Buffer.alloc(2_000_000, "Large")),
      found: { damage: [{ problem: `the blob ${large.hash}: its bytes are not those that were stored` }] },
    },
    {
      name: "a blob of other bytes, in its row",
      damage: (file) => change(file, "UPDATE blob SET bytes = CAST(upper(bytes) AS BLOB) WHERE size < 99"),
      found: { damage: [{ problem: `the blob ${small.hash}: its bytes are not those that were stored` }] },
    },
    {
      name: "a lease that is no lease",
      damage: (file) => change(file, "UPDATE lease SET owner = 'nobody'"),
      found: {
        leases: [],
        damage: [{ session: null, problem: expect.stringContaining("the leases") as string }],
      },
    },
    {
      name: "rows without their Session",
      damage: (file) => change(file, "PRAGMA foreign_keys = OFF; DELETE FROM session WHERE key = 2"),
      found: {
        sessions: 1,
        integrity: expect.arrayContaining(["2 rows of event without its session"]) as string[],
      },
    },
    {
      name: "tables of a newer version",
      damage: (file) => change(file, "PRAGMA user_version = 99"),
      found: { state: "looked-at", schemaVersion: 99, failure: { code: "newer" } },
    },
    {
      name: "tables that are not those of the version",
      damage: (file) => change(file, "DROP TABLE scratch"),
      found: { failure: { code: "mismatch" } },
    },
    {
      name: "a file that is no store",
      damage: (file) => writeFileSync(file, "x".repeat(5_000)),
      found: { state: "unreadable", failure: { code: "corrupt" } },
    },
  ]
  for (const { name, damage, found } of damages) {
    it.effect(`[ST3] finds ${name}`, () =>
      Effect.gen(function* () {
        const file = yield* written
        damage(file)
        const before = contents(file)
        expect(examineStore(file)).toMatchObject(found)
        expect(contents(file)).toEqual(before)
      }),
    )
  }

  for (const bytes of [2_048, 20_480, 60_000]) {
    it.effect(`[ST3] survives a file cut to ${bytes} bytes`, () =>
      Effect.gen(function* () {
        const file = yield* written
        truncateSync(file, bytes)
        const { failure, integrity, damage } = examineStore(file)
        expect((failure === null ? 0 : 1) + integrity.length + damage.length).toBeGreaterThan(0)
      }),
    )
  }
})
