/** OpenCode's store: read from a copy with its log, never touched, and never fatal (IM2). */
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, expect, test } from "vitest"
import { readOpenCodeExport } from "../src/opencode/export.ts"
import { readOpenCodeStore } from "../src/opencode/store.ts"
import type { ForeignRecord } from "../src/record.ts"
import { countOpenCode } from "./count/count.ts"
import { openCode } from "./made.ts"
import { account, bytesOf, readAll } from "./read.ts"

const folder = mkdtempSync(join(tmpdir(), "holdfast-foreign-"))
const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith("holdfast-opencode-"))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Exported {
  readonly info: {
    readonly id: string
    readonly title: string
    readonly directory: string
    readonly time: { created: number }
  }
  readonly messages: readonly { readonly info: Message; readonly parts: readonly { readonly id: string }[] }[]
}

interface Message {
  readonly id: string
  readonly time: { readonly created: number }
}

test("[IM2] a store that is being written to is read with its log, and says what its export says", async () => {
  const exported = openCode([{}, {}, { plant: "model" }, {}]) as Exported
  const fork = { ...exported, info: { ...exported.info, id: "ses_fork", title: "made here (fork #1)" } }
  const path = join(folder, "opencode.db")
  const database = openStore(path)
  fill(database, exported, "")
  fill(database, fork, "fork_")
  // Not closed: all of it is still in the log beside the file.
  const before = hashes()
  const records = await all(path)
  expect(hashes()).toEqual(before)
  expect(readdirSync(folder).sort()).toEqual(["opencode.db", "opencode.db-shm", "opencode.db-wal"])
  database.close()
  const { totals } = account(records)
  const count = countOpenCode(JSON.stringify(exported))
  expect(totals).toMatchObject({
    sessions: 2,
    calls: count.requests,
    input: count.input,
    cacheRead: count.read,
  })
  expect(totals).toMatchObject({ cacheWrite5m: count.written, output: count.output })
  const told = await readAll(readOpenCodeExport, bytesOf(JSON.stringify(exported)))
  expect(records.slice(0, told.length).map(({ type }) => type)).toEqual(told.map(({ type }) => type))
  expect(account(told).totals.cacheRead).toBe(totals.cacheRead)
})

test("[IM2] a store that is damaged, of another version or none is reported", async () => {
  mkdirSync(folder, { recursive: true })
  const before = copies()
  const path = join(folder, "opencode.db")
  new DatabaseSync(path).exec("CREATE TABLE other (id)")
  expect(await all(path)).toMatchObject([{ type: "skipped", why: "wrong-shape" }])
  const text = Buffer.from(`SQLite format 3\0${"x".repeat(9_000)}`)
  writeFileSync(path, text)
  expect((await all(path)).map(({ type }) => type)).toEqual(["skipped"])
  expect(copies()).toEqual(before)
})

async function all(path: string): Promise<ForeignRecord[]> {
  const records: ForeignRecord[] = []
  for await (const record of readOpenCodeStore(path)) records.push(record)
  return records
}

const hashes = (): readonly string[] =>
  ["opencode.db", "opencode.db-wal"].map((name) =>
    createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex"),
  )

/** The tables and columns that are read, as OpenCode makes them. */
function openStore(path: string): DatabaseSync {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE session (id text PRIMARY KEY, parent_id text, title text NOT NULL, directory text NOT NULL, time_created integer NOT NULL);
    CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);`)
  return database
}

function fill(database: DatabaseSync, { info, messages }: Exported, kind: string): void {
  const session = database.prepare("INSERT INTO session VALUES (?, NULL, ?, ?, ?)")
  session.run(info.id, info.title, info.directory, info.time.created)
  const message = database.prepare("INSERT INTO message VALUES (?, ?, ?, 0, ?)")
  const part = database.prepare("INSERT INTO part VALUES (?, ?, ?, 0, 0, ?)")
  for (const { info: own, parts } of messages) {
    const { id, ...data } = own
    message.run(kind + id, info.id, own.time.created, JSON.stringify(data))
    for (const { id: partId, ...held } of parts)
      part.run(kind + partId, kind + id, info.id, JSON.stringify(held))
  }
}
