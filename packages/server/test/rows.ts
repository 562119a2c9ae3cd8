/** Everything that stands in a store, row by row: what must be the same before and after a refusal. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

export function readRows(directory: string): Readonly<Record<string, readonly unknown[]>> {
  const database = new DatabaseSync(join(directory, "holdfast.db"), { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return Object.fromEntries(
      tables.map(({ name }) => [String(name), database.prepare(`SELECT * FROM "${String(name)}"`).all()]),
    )
  } finally {
    database.close()
  }
}
