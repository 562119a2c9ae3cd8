/**
 * Brings a file to the version this program writes, or refuses it.
 *
 *   ST1  A newer store is refused before anything is written. Each upgrade is one transaction
 *        with its version number, so a kill leaves the old version or the new one.
 *   ST6  A store whose tables differ from its recorded version is refused.
 *
 * The check opens the file for reading only; writing starts after it has passed.
 */
import { existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { StoreRefused } from "../failure.ts"
import { inTransaction, openReader } from "./connection.ts"
import type { Connection, Patience } from "./connection.ts"
import { versions as published } from "./versions/list.ts"
import type { SchemaVersion } from "./versions/list.ts"

export const schemaVersion = published.length

/** Throws StoreRefused unless the file is absent, empty, or a sound store of a known version. */
export function checkFence(file: string, versions: readonly SchemaVersion[] = published): void {
  if (!existsSync(file) || statSync(file).size === 0) return
  const reader = openReader(file)
  try {
    checkVersion(reader, versions)
  } finally {
    reader.close()
  }
}

/** Creates the tables of an empty file, or applies what upgrades are missing. */
export function migrate(
  connection: Connection,
  patience: Patience,
  versions: readonly SchemaVersion[] = published,
): void {
  // Another process may be doing the same: the version is read again under the lock.
  while (checkVersion(connection, versions) < versions.length) {
    inTransaction(connection, patience, () => {
      const from = checkVersion(connection, versions)
      const to = from === 0 ? versions.length : from + 1
      const target = versions[to - 1]
      if (from >= versions.length || target === undefined) return
      connection.db.exec(from === 0 ? target.fresh : (target.upgrade ?? ""))
      if (from === 0) connection.db.exec(`INSERT INTO meta VALUES ('first-version', '${to}')`)
      connection.db.exec(`PRAGMA user_version = ${to}`)
    })
  }
}

/** The recorded version, 0 for a file without tables. */
export function checkVersion(connection: Connection, versions: readonly SchemaVersion[] = published): number {
  const version = connection.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0
  if (version > versions.length) {
    throw new StoreRefused("newer", `the store has version ${version}, this program knows ${versions.length}`)
  }
  const actual = shapeOf(connection.db)
  const expected = version === 0 ? [] : expectedShape(versions[version - 1]?.fresh ?? "")
  const difference = firstDifference(expected, actual)
  if (difference !== null) throw new StoreRefused("mismatch", `version ${version}: ${difference}`)
  return version
}

/** Tables and indexes as normalised text, in order of their names. */
export function shapeOf(db: DatabaseSync): readonly string[] {
  const rows = db
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name")
    .all()
  return rows.map((row) => `${row["type"]} ${row["name"]}: ${normalise(String(row["sql"]))}`)
}

const shapes = new Map<string, readonly string[]>()

function expectedShape(sql: string): readonly string[] {
  const known = shapes.get(sql)
  if (known !== undefined) return known
  const db = new DatabaseSync(":memory:")
  db.exec(sql)
  const shape = shapeOf(db)
  db.close()
  shapes.set(sql, shape)
  return shape
}

/** An added column stands in the text of its table as it was written, so blanks must not count. */
const normalise = (sql: string): string =>
  sql
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([(),]) ?/g, "$1")
    .trim()

function firstDifference(expected: readonly string[], actual: readonly string[]): string | null {
  for (const line of expected) if (!actual.includes(line)) return `missing or changed: ${line}`
  for (const line of actual) if (!expected.includes(line)) return `not expected: ${line}`
  return null
}
