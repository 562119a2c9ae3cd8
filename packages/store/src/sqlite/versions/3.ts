/**
 * Version 3 of the tables: projects, each with a log of its own (MM1).
 *
 * `project_event` is the log, `memory` what it says now; both are keyed by their project, and so is every
 * question about them (MM2). A project is found by its root; `origin`, its first commit, tells one that moved. `content` and `subject` are what the writer compares statements by. No Session
 * owns any of it: it stays when the last one is deleted.
 */
import { fresh as before } from "./2.ts"

const added = `
CREATE TABLE project (
  key INTEGER PRIMARY KEY,
  root TEXT NOT NULL UNIQUE,
  origin TEXT,
  seq INTEGER NOT NULL,
  epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX project_origin ON project(origin) WHERE origin IS NOT NULL;

CREATE TABLE project_event (
  project INTEGER NOT NULL REFERENCES project(key) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  version INTEGER NOT NULL,
  time INTEGER NOT NULL,
  data TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (project, seq)
) STRICT;

CREATE TABLE memory (
  project INTEGER NOT NULL REFERENCES project(key) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  status TEXT NOT NULL,
  category TEXT NOT NULL,
  content TEXT NOT NULL,
  subject TEXT,
  data TEXT NOT NULL,
  PRIMARY KEY (project, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_content ON memory(project, content);
CREATE INDEX memory_subject ON memory(project, subject) WHERE subject IS NOT NULL;
`

export const fresh = `${before}${added}`

export const upgrade = added
