/**
 * Version 11 of the tables: memories and commits have vectors too (SE1, SE3).
 *
 * `place` is the key of a memory's project, or the root of a commit; `number` that of the memory, or the id of the commit. What is
 * written or changed stands in `other_due` until its vector is there; `other_model` says which model a place asks for. As with
 * `vector`, ids grow and are not used again.
 */
import { fresh as before } from "./10.ts"

const tables = `
CREATE TABLE other_model (
  kind TEXT NOT NULL,
  place TEXT NOT NULL,
  model TEXT NOT NULL,
  PRIMARY KEY (kind, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE other_due (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  place TEXT NOT NULL,
  number INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX other_due_of ON other_due(kind, place, number);

CREATE TABLE other_vector (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  place TEXT NOT NULL,
  number INTEGER NOT NULL,
  model TEXT NOT NULL,
  bits BLOB NOT NULL,
  data BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX other_vector_of ON other_vector(kind, place, number);
CREATE INDEX other_vector_model ON other_vector(model, id);

CREATE TRIGGER memory_changed AFTER INSERT ON memory BEGIN
  DELETE FROM other_vector WHERE kind = 'memory' AND place = CAST(new.project AS TEXT) AND number = new.number;
  DELETE FROM other_due WHERE kind = 'memory' AND place = CAST(new.project AS TEXT) AND number = new.number;
  INSERT INTO other_due (kind, place, number)
    SELECT 'memory', CAST(new.project AS TEXT), new.number WHERE new.status = 'active';
END;
CREATE TRIGGER memory_gone AFTER DELETE ON memory BEGIN
  DELETE FROM other_vector WHERE kind = 'memory' AND place = CAST(old.project AS TEXT) AND number = old.number;
  DELETE FROM other_due WHERE kind = 'memory' AND place = CAST(old.project AS TEXT) AND number = old.number;
END;
CREATE TRIGGER git_commit_added AFTER INSERT ON git_commit BEGIN
  INSERT INTO other_due (kind, place, number) VALUES ('commit', new.root, new.id);
END;
CREATE TRIGGER git_commit_left AFTER DELETE ON git_commit BEGIN
  DELETE FROM other_vector WHERE kind = 'commit' AND place = old.root AND number = old.id;
  DELETE FROM other_due WHERE kind = 'commit' AND place = old.root AND number = old.id;
END;
`

export const fresh = `${before}${tables}`

export const upgrade = `${tables}
INSERT INTO other_due (kind, place, number)
  SELECT 'memory', CAST(project AS TEXT), number FROM memory WHERE status = 'active';
INSERT INTO other_due (kind, place, number) SELECT 'commit', root, id FROM git_commit;
`
