/**
 * Version 8 of the tables: which directory stood at a root (MM1).
 *
 * `mark` is what the file system says of a directory and nothing of another one, wherever it is moved to. A project that was renamed is
 * known by it, and a second clone is told from a move.
 */
import { fresh as before } from "./7.ts"

const added = `
CREATE TABLE project_mark (
  root TEXT PRIMARY KEY,
  mark TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX project_marked ON project_mark(mark);
`

export const fresh = `${before}${added}`

export const upgrade = added
