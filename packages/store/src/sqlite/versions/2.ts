/**
 * Version 2 of the tables: what search finds (SE2).
 *
 * A `unit` is one text of the log: what a user or the assistant said, a call, its output, or a
 * compartment. `word` is its lexical index, which holds no text of its own: each row has the words
 * of the unit and the first ones of the unit before it. The order of units is that of `(session, seq, idx)`,
 * never that of ids: what is indexed later may be older.
 *
 * `unindexed` lists how far the log of a Session from an older store still has to be indexed.
 */
import { fresh as before } from "./1.ts"

export const wordTable = `CREATE VIRTUAL TABLE word USING fts5(
  own, before, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);`

const added = `
CREATE TABLE unit (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  message_seq INTEGER NOT NULL,
  author TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX unit_place ON unit(session, seq, idx);

${wordTable}
CREATE TRIGGER unit_gone AFTER DELETE ON unit BEGIN
  DELETE FROM word WHERE rowid = old.id;
END;

CREATE TABLE unindexed (
  session INTEGER PRIMARY KEY REFERENCES session(key) ON DELETE CASCADE,
  done INTEGER NOT NULL,
  through INTEGER NOT NULL
) STRICT;
`

export const fresh = `${before}${added}`

export const upgrade = `${added}
INSERT INTO unindexed SELECT key, 0, json_extract(summary, '$.seq') FROM session
WHERE json_extract(summary, '$.seq') > 0;
`
