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
import { type Exported, fillStore, openStore } from "./opencode-store.ts"
import { account, bytesOf, readAll } from "./read.ts"

const folder = mkdtempSync(join(tmpdir(), "holdfast-foreign-"))
const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith("holdfast-opencode-"))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test("[IM2] a store that is being written to is read with its log, and says what its export says", async () => {
  const exported = openCode([{}, {}, { plant: "model" }, {}]) as Exported
  const fork = { ...exported, info: { ...exported.info, id: "ses_fork", title: "made here (fork #1)" } }
  const path = join(folder, "opencode.db")
  const database = openStore(path)
  fillStore(database, exported)
  fillStore(database, fork, "fork_")
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

test("[IM1 IM2] a summary of OpenCode stays with what was kept before it, and one that was given up cuts nothing", async () => {
  const read = async (asked: object, answered: object) => {
    const { info, messages } = openCode([{}, { plant: "compaction" }]) as Exported
    const changed = messages.map(({ info: own, parts }) => ({
      info: "summary" in own ? { ...own, ...answered } : own,
      parts: parts.map((part) => ("auto" in part ? { ...part, ...asked } : part)),
    }))
    const records = await readAll(readOpenCodeExport, bytesOf(JSON.stringify({ info, messages: changed })))
    return records.flatMap((record) =>
      record.type === "compaction" ? [[record.keptFrom, record.cause]] : [],
    )
  }
  expect(await read({}, {})).toEqual([["msg_00019", "automatic"]])
  expect(await read({ tail_start_id: "msg_0000b", auto: false }, {})).toEqual([["msg_0000b", "asked"]])
  expect(await read({}, { finish: undefined })).toEqual([])
  expect(await read({}, { error: { name: "MessageAbortedError" } })).toEqual([])
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
