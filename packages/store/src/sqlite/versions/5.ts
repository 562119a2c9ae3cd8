/**
 * Version 5 of the tables: what else belongs to projects.
 *
 * `memory_use` counts how often a memory was found (MM1); it is no part of the log, and a rebuild leaves it.
 * `smart_note` is what the log says of notes that wait for a condition (NT1). `project_place` is a directory whose project is
 * another's, or of which that is still asked (MM1). A workspace lets its members see memories of the categories that it shares; a
 * project is in one at most, which is the key (WS1).
 */
import { fresh as before } from "./4.ts"

const added = `
CREATE TABLE memory_use (
  project INTEGER NOT NULL REFERENCES project(key) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (project, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE smart_note (
  project INTEGER NOT NULL REFERENCES project(key) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  status TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (project, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX smart_note_ready ON smart_note(project) WHERE status = 'ready';

CREATE TABLE project_place (
  root TEXT PRIMARY KEY,
  origin TEXT,
  asked_at INTEGER NOT NULL,
  settled_at INTEGER,
  shares TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE workspace (
  key INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  categories TEXT NOT NULL,
  version INTEGER NOT NULL
) STRICT;

CREATE TABLE workspace_member (
  project INTEGER PRIMARY KEY REFERENCES project(key) ON DELETE CASCADE,
  workspace INTEGER NOT NULL REFERENCES workspace(key) ON DELETE CASCADE
) STRICT;
CREATE INDEX workspace_members ON workspace_member(workspace);
`

export const fresh = `${before}${added}`

export const upgrade = added
