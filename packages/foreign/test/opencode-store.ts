/** Stores in the shape that OpenCode 1.18 makes: its tables, keys and journal, with sessions that are written here. */
import { DatabaseSync } from "node:sqlite"

export interface Exported {
  readonly info: {
    readonly id: string
    readonly title: string
    readonly directory: string
    readonly time: { readonly created: number }
    readonly parentID?: string
  }
  readonly messages: readonly { readonly info: Message; readonly parts: readonly { readonly id: string }[] }[]
}

interface Message {
  readonly id: string
  readonly time: { readonly created: number }
}

/** Open, and so with all that is written in the log beside the file. */
export function openStore(path: string): DatabaseSync {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 0;
    CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, time_created integer NOT NULL, time_updated integer NOT NULL, sandboxes text NOT NULL);
    CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL REFERENCES project(id) ON DELETE CASCADE, workspace_id text, parent_id text, slug text NOT NULL, directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL, cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL, revert text, agent text, model text, time_created integer NOT NULL, time_updated integer NOT NULL, time_archived integer);
    CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL REFERENCES session(id) ON DELETE CASCADE, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL REFERENCES message(id) ON DELETE CASCADE, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE session_share (session_id text PRIMARY KEY, secret text NOT NULL);
    CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
    CREATE INDEX part_message_id_id_idx ON part (message_id, id);
    INSERT INTO project VALUES ('p1', '/w', 'git', 0, 0, '[]');`)
  return database
}

/** `kind` goes before the ids of messages and parts, which a fork copies under others. */
export function fillStore(database: DatabaseSync, { info, messages }: Exported, kind = ""): void {
  database
    .prepare(
      "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated) VALUES (?, 'p1', ?, 'made-here', ?, ?, '1.18.33', ?, 0)",
    )
    .run(info.id, info.parentID ?? null, info.directory, info.title, info.time.created)
  const message = database.prepare("INSERT INTO message VALUES (?, ?, ?, 0, ?)")
  const part = database.prepare("INSERT INTO part VALUES (?, ?, ?, 0, 0, ?)")
  for (const { info: own, parts } of messages) {
    const { id, ...data } = own
    message.run(kind + id, info.id, own.time.created, JSON.stringify(data))
    for (const { id: partId, ...held } of parts)
      part.run(kind + partId, kind + id, info.id, JSON.stringify(held))
  }
}
