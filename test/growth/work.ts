/**
 * The work of SQLite, counted: instructions of its machine, per statement, on one connection. The
 * count is the same on every machine and in every run, which no time is.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"

export interface WorkMeter {
  /** Instructions run so far. */
  readonly steps: () => number
  /** Texts of all statements that were prepared. */
  readonly texts: () => readonly string[]
}

/** Its name is that of SQLite's counter; the types of Node do not have it yet. */
type Counted = StatementSync & { readonly stat: (counter: "vmStep") => number }

/** Counts what is prepared from now on. */
export function meterWork(db: DatabaseSync): WorkMeter {
  const statements = new Map<string, Counted[]>()
  const prepare = db.prepare.bind(db)
  db.prepare = (sql, ...options) => {
    const statement = prepare(sql, ...options) as Counted
    statements.set(sql, [...(statements.get(sql) ?? []), statement])
    return statement
  }
  const all = () => [...statements.values()].flat()
  return {
    steps: () => all().reduce((sum, statement) => sum + statement.stat("vmStep"), 0),
    texts: () => [...statements.keys()],
  }
}

/** How SQLite goes about a statement, a line for each table it visits. */
export function planOf(db: DatabaseSync, sql: string): readonly string[] {
  if (!/^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(sql)) return []
  return db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map((row) => String(row["detail"]))
}
