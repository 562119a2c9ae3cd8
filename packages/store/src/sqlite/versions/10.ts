/**
 * Version 10 of the tables: long texts are found to their end (SE1, SE2).
 *
 * A long text has a unit for each of its pieces. `owed` lists texts of which units from the number `done` on are still to be
 * indexed: those that would hold up their commit, and those of older stores, which indexed only a first unit of each.
 */
import { fresh as before } from "./9.ts"

const added = `
CREATE TABLE owed (
  session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  done INTEGER NOT NULL,
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;
`

export const fresh = `${before}${added}`

/** No text has more characters than its record has bytes. A prompt's words are in another record than its unit. */
export const upgrade = `${added}
INSERT INTO owed SELECT unit.session, unit.seq, 1 FROM unit
JOIN event ON event.session = unit.session AND event.seq = unit.seq
WHERE unit.idx = 0 AND unit.author <> 'summary' AND 16384 < octet_length(iif(event.type = 'prompt.promoted',
  (SELECT data FROM event AS body WHERE body.session = unit.session AND body.seq = event.data ->> 'bodySeq'),
  event.data));
`
