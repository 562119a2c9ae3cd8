/**
 * Version 1 of the tables.
 *
 * `event` is the log and the only table with content; the others below it are projections that
 * point into it by sequence and can be rebuilt. Lease, scratch, blob and location rows are not in the log.
 * A Session is an integer key inside the file, so that rows stay small; deleting its row takes
 * everything else with it (ST3).
 *
 * The log is a rowid table: with rows above 500 bytes it inserts twice as fast as WITHOUT ROWID
 * and reads single rows up to three times as fast (measured), for 8 bytes more a row.
 *
 * `summary` is the small half of the fold (schema/state/summary.ts) as one document; `open` and
 * `due` are what recovery looks for, `archived` is what lists leave out or show. `mark` lists the events that a window folds beside its
 * messages (schema/state/items.ts).
 *
 * The inbox lies in the order of prompt ids, since every admission looks one up. Its one index
 * lists what is pending and finds the rows of a Session; a tree more would be a page more in
 * every admission.
 */
const owner = "session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE"

export const fresh = `
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE location (
  directory TEXT PRIMARY KEY,
  project_root TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  archived INTEGER NOT NULL,
  open INTEGER NOT NULL,
  due INTEGER NOT NULL,
  summary TEXT NOT NULL
) STRICT;
CREATE INDEX session_listed ON session(archived, key);
CREATE INDEX session_open ON session(key) WHERE open = 1;
CREATE INDEX session_due ON session(key) WHERE due = 1;

CREATE TABLE event (
  ${owner},
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  version INTEGER NOT NULL,
  time INTEGER NOT NULL,
  data TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (session, seq)
) STRICT;

CREATE TABLE message (
  ${owner},
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  body_seq INTEGER NOT NULL,
  turn TEXT,
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE part (
  ${owner},
  message_seq INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  call TEXT,
  state TEXT,
  settled_seq INTEGER,
  PRIMARY KEY (session, message_seq, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
  ${owner},
  admitted_seq INTEGER NOT NULL,
  prompt TEXT PRIMARY KEY,
  body_seq INTEGER NOT NULL,
  delivery TEXT NOT NULL,
  state TEXT NOT NULL,
  promoted_seq INTEGER,
  message TEXT,
  text_hash BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_pending ON inbox(session, state, admitted_seq);

CREATE TABLE epoch (
  session INTEGER PRIMARY KEY REFERENCES session(key) ON DELETE CASCADE,
  started_seq INTEGER NOT NULL,
  snapshot TEXT NOT NULL
) STRICT;

CREATE TABLE turn (
  ${owner},
  id TEXT NOT NULL,
  started_seq INTEGER NOT NULL,
  settled_seq INTEGER,
  status TEXT,
  PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX turn_started ON turn(session, started_seq);

CREATE TABLE notice (
  ${owner},
  id TEXT NOT NULL,
  admitted_seq INTEGER NOT NULL,
  promoted_seq INTEGER,
  PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notice_pending ON notice(session, admitted_seq) WHERE promoted_seq IS NULL;

CREATE TABLE quarantine (
  ${owner},
  message_seq INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (session, message_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE mark (
  ${owner},
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (session, seq, kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mark_limit ON mark(id) WHERE kind = 'limit';
CREATE INDEX mark_ask ON mark(session, id) WHERE kind = 'ask';

CREATE TABLE lease (
  session INTEGER PRIMARY KEY REFERENCES session(key) ON DELETE CASCADE,
  owner TEXT,
  token INTEGER NOT NULL,
  beat INTEGER NOT NULL
) STRICT;
CREATE INDEX lease_held ON lease(session) WHERE owner IS NOT NULL;

CREATE TABLE scratch (
  ${owner},
  turn TEXT NOT NULL,
  idx INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (session, turn, idx, at)
) STRICT;

CREATE TABLE blob (
  hash TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  bytes BLOB
) STRICT;

CREATE TABLE blob_ref (
  ${owner},
  hash TEXT NOT NULL REFERENCES blob(hash),
  PRIMARY KEY (session, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_ref_hash ON blob_ref(hash);
`
