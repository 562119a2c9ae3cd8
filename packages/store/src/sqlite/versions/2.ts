/** Version 2: messages that were taken out of what a model reads, with the event that did it (LL7). */
import { fresh as before } from "./1.ts"

export const upgrade = `
CREATE TABLE quarantine (
  session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
  message_seq INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (session, message_seq)
) STRICT, WITHOUT ROWID;
`

export const fresh = before + upgrade
