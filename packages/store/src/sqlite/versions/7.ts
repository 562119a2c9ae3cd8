/**
 * Version 7 of the tables: search by meaning, and the commits of a project (SE2, SE3, SE4).
 *
 * A `vector` is what an embedding model makes of a unit, in ordinary columns: its numbers, their signs as
 * one bit each, by which neighbours are looked for, and the model that made it. Ids grow and are not used
 * again, so that whoever has read some reads on behind them. `embedding` is the queue: up to where the units
 * of a Session have vectors, and up to where they are to have them.
 */
import { fresh as before } from "./6.ts"

export const gitWordTable = `CREATE VIRTUAL TABLE git_word USING fts5(
  own, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);`

const added = `
CREATE TABLE vector (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  unit INTEGER NOT NULL REFERENCES unit(id) ON DELETE CASCADE,
  chunk INTEGER NOT NULL,
  model TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  bits BLOB NOT NULL,
  data BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX vector_unit ON vector(unit, chunk);
CREATE INDEX vector_bits ON vector(model, id, unit, bits);

CREATE TABLE embedding (
  session INTEGER PRIMARY KEY REFERENCES session(key) ON DELETE CASCADE,
  model TEXT NOT NULL,
  chunk_characters INTEGER NOT NULL,
  done INTEGER NOT NULL,
  chunks_done INTEGER NOT NULL,
  through INTEGER NOT NULL
) STRICT;
CREATE INDEX embedding_due ON embedding(session) WHERE done < through OR chunks_done < through;

CREATE TABLE git_commit (
  id INTEGER PRIMARY KEY,
  root TEXT NOT NULL,
  hash TEXT NOT NULL,
  time INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX git_commit_hash ON git_commit(root, hash);
${gitWordTable}
CREATE TRIGGER git_commit_gone AFTER DELETE ON git_commit BEGIN
  DELETE FROM git_word WHERE rowid = old.id;
END;
`

export const fresh = `${before}${added}`

export const upgrade = added
