import { readFileSync, readdirSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { openInlineStore } from "../src/inline-store.ts"
import { openThreadStore } from "../src/thread-store.ts"
import { openWriter } from "../src/sqlite/connection.ts"
import { checkFence, migrate, schemaVersion, shapeOf } from "../src/sqlite/migrate.ts"
import { versions } from "../src/sqlite/versions/list.ts"
import type { SchemaVersion } from "../src/sqlite/versions/list.ts"
import { place } from "./place.ts"
import { admit, create, sessionId } from "./records.ts"

const patience = { busyMs: 1_000 }

/** The published versions and one to come: a new column, a new table and a new index. */
const last = versions.at(-1)?.fresh ?? ""
const upgrade = `
  ALTER TABLE session ADD COLUMN colour TEXT;
  CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE INDEX note_text ON note(text);
`
const coming: readonly SchemaVersion[] = [
  ...versions,
  {
    fresh: `${last.replace("summary TEXT NOT NULL\n", "summary TEXT NOT NULL, colour TEXT\n")}
      CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
      CREATE INDEX note_text ON note(text);`,
    upgrade,
  },
]

function atVersion(file: string, version: number, list: readonly SchemaVersion[]): void {
  const db = new DatabaseSync(file)
  // One synced commit, not one for each table.
  db.exec(`BEGIN; ${list[version - 1]?.fresh ?? ""}; PRAGMA user_version = ${version}; COMMIT`)
  db.close()
}

function upgraded(file: string, list: readonly SchemaVersion[]): readonly string[] {
  const connection = openWriter(file, patience)
  migrate(connection, patience, list)
  const shape = [...shapeOf(connection.db), versionOf(connection.db)]
  connection.close()
  return shape
}

const versionOf = (db: DatabaseSync): string =>
  `version ${db.prepare("PRAGMA user_version").get()?.["user_version"]}`

describe("migrations", () => {
  for (const [name, list] of [
    ["published", versions],
    ["with one to come", coming],
  ] as const) {
    it.effect(`[ST1] every version equals the fresh one after its upgrades: ${name}`, () =>
      Effect.gen(function* () {
        const fresh = upgraded((yield* place).file, list)
        expect(fresh).toContain(`version ${list.length}`)
        for (let version = 1; version <= list.length; version++) {
          const { file } = yield* place
          atVersion(file, version, list)
          expect(upgraded(file, list)).toEqual(fresh)
        }
      }),
    )
  }
  it("[ST6] the fence is the highest version, and only the first has no upgrade", () => {
    expect(schemaVersion).toBe(versions.length)
    expect(versions.map((version) => version.upgrade === null)).toEqual(versions.map((_, at) => at === 0))
  })
  it.effect("[ST1] keeps records through an upgrade", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const store = yield* openInlineStore({ file })
      yield* store.commit(create(1))
      yield* store.commit(admit(1, 1))
      yield* store.close()
      upgraded(file, coming)
      const db = new DatabaseSync(file)
      const stored = db.prepare("SELECT id, colour, summary ->> '$.seq' AS seq FROM session").get()
      expect(stored).toEqual({ id: sessionId(1), colour: null, seq: 2 })
      db.close()
    }),
  )
  it.effect("[ST1] leaves the old version whole when an upgrade fails half way", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      atVersion(file, 1, versions)
      const bad = [...versions, { fresh: last, upgrade: `${upgrade} INSERT INTO nowhere VALUES (1);` }]
      expect(() => upgraded(file, bad)).toThrow(/nowhere/)
      expect(() => checkFence(file)).not.toThrow()
      expect(upgraded(file, coming)).toContain(`version ${coming.length}`)
    }),
  )
  for (const [name, open] of [
    ["inline", openInlineStore],
    ["thread", openThreadStore],
  ] as const) {
    it.effect(`[ST1] refuses a newer store and changes no byte of it: ${name}`, () =>
      Effect.gen(function* () {
        const { file } = yield* place
        upgraded(file, coming)
        const before = readFileSync(file)
        const failure = yield* Effect.flip(open({ file }))
        expect([failure.code, failure.outcomeUnknown]).toEqual(["newer", false])
        expect(failure.message).toMatch(/Update Holdfast/)
        expect(readFileSync(file).equals(before)).toBe(true)
      }),
    )
    it.effect(`[ST6] refuses tables that do not match their version: ${name}`, () =>
      Effect.gen(function* () {
        const { file } = yield* place
        yield* Effect.flatMap(open({ file }), (store) => store.close())
        const db = new DatabaseSync(file)
        db.exec("DROP INDEX inbox_pending")
        db.close()
        const failure = yield* Effect.flip(open({ file }))
        expect([failure.code, failure.detail]).toEqual(["mismatch", expect.stringContaining("inbox_pending")])
      }),
    )
  }
  it.effect("[ST6] refuses a database that is not a store", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const db = new DatabaseSync(file)
      db.exec("CREATE TABLE other (x)")
      db.close()
      expect((yield* Effect.flip(openInlineStore({ file }))).code).toBe("mismatch")
      expect(readdirSync(dirname(file))).toEqual(["holdfast.db"])
    }),
  )
})
