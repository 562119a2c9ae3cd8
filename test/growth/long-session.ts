/**
 * A store with a long Session and many others, written as commits write it, but without a sync for
 * each: the log is appended by the code of the store itself, many records to a transaction.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { Fact } from "@holdfast/schema/event"
import { emptySummary } from "@holdfast/schema/state/summary"
import { openInlineStore } from "@holdfast/store"
import { connectionTo } from "@holdfast/store/sqlite/connection"
import { appendFacts } from "@holdfast/store/sqlite/append-facts"
import { findSession, insertSession, type KeyedSession } from "@holdfast/store/sqlite/session-row"
import * as records from "../../packages/store/test/records.ts"

export const longSession = records.sessionId(1)

const recordsPerExchange = 11
const recordsPerTransaction = 20_000
/** What the last cut leaves. */
const exchangesKept = 4

/** Writes Session 1 with at least so many records, and one other Session for each hundred of them, ten at least. */
export async function writeLongSession(file: string, length: number): Promise<void> {
  const made = await Effect.runPromise(openInlineStore({ file }))
  await Effect.runPromise(made.close())
  const db = new DatabaseSync(file)
  db.exec("PRAGMA synchronous = OFF")
  const connection = connectionTo(db)
  const create = (n: number) => {
    const { session, time, fact } = records.create(n)
    appendFacts(connection, insertSession(connection, session, emptySummary), time, [fact])
  }
  const archive = (n: number) =>
    appendFacts(connection, findSession(connection, records.sessionId(n)) as KeyedSession, n, [
      { type: "session.updated", archived: true },
    ])
  const exchanges = Math.ceil(length / recordsPerExchange)
  const others = 2 * Math.max(5, Math.ceil(length / 200))
  let at = 0
  db.exec("BEGIN")
  create(1)
  for (let n = 2; n <= 1 + others / 2; n++) create(n)
  let row = findSession(connection, longSession) as KeyedSession
  for (let n = 1; n <= exchanges; n++) {
    row = appendFacts(connection, row, n, exchange(n, row.summary.seq))
    if (n === exchanges - exchangesKept) {
      row = appendFacts(connection, row, n, [records.cutBelow(row.summary.seq + 2)])
    }
    at += recordsPerExchange
    if (at >= recordsPerTransaction) {
      at = 0
      db.exec("COMMIT")
      db.exec("BEGIN")
    }
  }
  for (let n = 2 + others / 2; n <= 1 + others; n++) create(n)
  for (const n of [2, 3, others, 1 + others]) archive(n)
  db.exec("COMMIT")
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  connection.close()
}

/** A prompt, a turn that calls a tool, and a turn that answers. */
function exchange(n: number, seq: number): readonly Fact[] {
  const [calling, answering] = [2 * n, 2 * n + 1]
  const admitted: Fact = {
    type: "prompt.admitted",
    prompt: records.promptId(n),
    text: `Question ${n}.`,
    delivery: "steer",
  }
  const opening = n === 1 ? [records.epochStarted("You work here.", "today")] : []
  return [
    admitted,
    ...opening,
    records.promoted(n, seq + 1),
    records.turnStarted(calling),
    records.partRecorded(calling, 0, records.callPart(n)),
    records.callStarted(calling, n),
    records.callSettled(calling, n),
    records.turnSettled(calling, "continue"),
    records.turnStarted(answering),
    records.partRecorded(answering, 0, records.textPart(`Answer ${n}. ${"word ".repeat(40)}`)),
    records.turnSettled(answering),
  ]
}
