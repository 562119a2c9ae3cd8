/**
 * Measures the store on this machine: admissions a second against raw synced commits of one row,
 * one caller against 64, reads of a window, and bytes a text message takes on disk.
 *
 * Run with `npx node packages/store/test/measure.ts`.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { Store } from "../src/port.ts"
import { dataFile, openInlineStore, openThreadStore } from "../src/index.ts"
import {
  acquire,
  admit,
  append,
  create,
  partRecorded,
  promoted,
  sessionId,
  textPart,
  turnSettled,
  turnStarted,
} from "./records.ts"

const directory = mkdtempSync(join(tmpdir(), "holdfast-measure-"))
const text = "x".repeat(600)
const admissions = 1_500
const messages = 2_000

function openRaw(): () => Promise<unknown> {
  const db = new DatabaseSync(join(directory, "raw.db"))
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  db.exec("CREATE TABLE row (id INTEGER PRIMARY KEY, body TEXT)")
  const insert = db.prepare("INSERT INTO row (body) VALUES (?)")
  return async () => insert.run(text)
}

async function openStore(name: string, open: typeof openInlineStore): Promise<() => Promise<unknown>> {
  const store: Store = await Effect.runPromise(open({ file: dataFile(join(directory, name)) }))
  await Effect.runPromise(store.commit(create(1)))
  let next = 0
  return () => Effect.runPromise(store.commit(admit(1, `${name}.${next++}`, { text })))
}

async function rate(callers: number, work: () => Promise<unknown>): Promise<number> {
  let left = admissions
  const caller = async () => {
    while (left-- > 0) await work()
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: callers }, caller))
  return (admissions / (performance.now() - start)) * 1_000
}

/** Rounds of all shapes in turn: a noisy disk then hits them alike. */
async function measureRates(): Promise<void> {
  const raw = openRaw()
  const inline = await openStore("inline", openInlineStore)
  const thread = await openStore("thread", openThreadStore)
  const shapes = [
    ["raw commits of one row", 1, raw],
    ["inline, 1 caller", 1, inline],
    ["thread, 1 caller", 1, thread],
    ["thread, 64 callers", 64, thread],
  ] as const
  const rates = new Map<string, number[]>(shapes.map(([name]) => [name, []]))
  for (let round = 0; round < 7; round++) {
    for (const [name, callers, work] of shapes) rates.get(name)?.push(await rate(callers, work))
  }
  for (const [name, values] of rates) {
    console.log(`${name}: ${values.sort((a, b) => a - b)[3]?.toFixed(0)}/s (median of 7 rounds)`)
  }
}

async function bytesPerMessage(): Promise<void> {
  const file = dataFile(join(directory, "bytes"))
  const store = await Effect.runPromise(openInlineStore({ file }))
  const run = Effect.runSync
  run(store.commit(create(1)))
  run(store.commit(acquire(1)))
  for (let i = 0; i < messages / 2; i++) {
    const admitted = run(store.commit(admit(1, i, { text })))
    if (admitted.kind !== "admitted") throw new Error(admitted.kind)
    run(store.commit(append(1, 1, [promoted(i, admitted.receipt.admittedSeq), turnStarted(i)])))
    run(store.commit(append(1, 1, [partRecorded(i, 0, textPart(text)), turnSettled(i)])))
  }
  const start = performance.now()
  const window = run(store.window(sessionId(1)))
  const took = performance.now() - start
  run(store.close())
  console.log(`window of ${window?.messages.length} messages: ${took.toFixed(1)} ms`)
  console.log(`bytes a message of ${text.length}: ${(statSync(file).size / messages).toFixed(0)}`)
}

try {
  await measureRates()
  await bytesPerMessage()
} finally {
  rmSync(directory, { recursive: true })
  process.exit()
}
