/**
 * Projections: what one event changes outside the session row, which is a fold of its own.
 *
 * Used by commits and by rebuilds, so a rebuild from the log gives the tables that the commits
 * gave. Rows point at the event that holds their content; no text is stored twice, except the
 * Context Snapshot, which is one document overwritten in place (EP14).
 *
 * `project` returns what does not fit, or null. A commit refuses such an event; a rebuild, which
 * may meet a log with damaged rows, reports it and goes on.
 */
import type { Event, FactOf } from "@holdfast/schema/event"
import type { TurnId } from "@holdfast/schema/id"
import { marksOf } from "@holdfast/schema/state/items"
import { hashBody } from "../admission.ts"
import type { Admit } from "../port.ts"
import type { Connection } from "./connection.ts"
import { noteUnits } from "./search/index-units.ts"

/** Tables that a rebuild empties and writes anew. */
export const projectionTables = [
  "message",
  "part",
  "inbox",
  "notice",
  "epoch",
  "turn",
  "quarantine",
  "mark",
] as const

export function project(connection: Connection, session: number, event: Event): string | null {
  projectMarks(connection, session, event)
  const problem = projectRows(connection, session, event)
  if (problem === null) noteUnits(connection, session, event)
  return problem
}

function projectRows(connection: Connection, session: number, { seq, fact }: Event): string | null {
  switch (fact.type) {
    case "session.moved":
      connection.run("DELETE FROM epoch WHERE session = ?", session)
      return null
    case "revert.applied":
      connection.run("DELETE FROM epoch WHERE session = ?", session)
      return null
    case "notice.admitted":
      connection.run("INSERT INTO notice VALUES (?, ?, ?, NULL)", session, fact.notice, seq)
      return null
    case "notice.promoted":
      connection.run(messageSql, session, seq, fact.message, "notice", fact.bodySeq, null)
      return one(connection.run(promoteNoticeSql, seq, session, fact.notice), "no pending notice to promote")
    case "prompt.admitted":
      return admit(connection, session, seq, fact)
    case "prompt.edited":
      return one(connection.run(editSql, seq, session, fact.prompt), "no pending prompt to edit")
    case "prompt.cancelled":
      return one(connection.run(cancelSql, session, fact.prompt), "no pending prompt to cancel")
    case "prompt.promoted":
      connection.run(messageSql, session, seq, fact.message, "user", fact.bodySeq, null)
      return one(
        connection.run(promoteSql, seq, fact.message, session, fact.prompt, fact.bodySeq),
        "no pending prompt with this body to promote",
      )
    case "epoch.started":
      connection.run(epochSql, session, seq, JSON.stringify(fact.snapshot))
      return null
    case "context.updated":
      return updateContext(connection, session, seq, fact)
    case "turn.started":
      connection.run("INSERT INTO turn VALUES (?, ?, ?, NULL, NULL)", session, fact.turn, seq)
      connection.run(messageSql, session, seq, fact.message, "assistant", seq, fact.turn)
      return null
    case "part.recorded":
      return recordPart(connection, session, seq, fact)
    case "call.started":
      return startCall(connection, session, fact)
    case "call.settled":
      return settleCall(connection, session, seq, fact)
    case "turn.settled":
      return one(
        connection.run(settleTurnSql, seq, fact.status, session, fact.turn),
        "no open turn to settle",
      )
    case "message.quarantined":
      return one(connection.run(quarantineSql, session, fact.message, seq), "no message to quarantine")
    default:
      return null
  }
}

/** Events that a window folds beside its messages, until what they began has ended. */
function projectMarks(connection: Connection, session: number, { seq, fact }: Event): void {
  const { marks, ends, keeps } = marksOf(fact)
  let more = 0
  for (const end of ends) {
    if ("pairedBy" in end) endPairs(connection, session, end.pairedBy)
    else more -= kept(end.kind, connection.run(endMarksSql, session, end.kind, end.id))
  }
  for (const { kind, id } of marks)
    more += kept(kind, connection.run("INSERT INTO mark VALUES (?, ?, ?, ?)", session, seq, kind, id))
  if (keeps !== undefined && more > 0) connection.run(keepMarksSql, session, keeps.kind, keeps.count - 1)

  function kept(kind: string, changes: number): number {
    return kind === keeps?.kind ? changes : 0
  }
}

/** Every turn asks for it, and few have anything to end. */
function endPairs(connection: Connection, session: number, seq: number): void {
  if (connection.get(anyAskSql, session) !== undefined) connection.run(endPairsSql, session, seq)
}

/** What a repeat is known by (PR2). */
export const admittedHash = (body: Pick<Admit, "text" | "images" | "calls" | "given">): Uint8Array =>
  Buffer.from(body.given ?? hashBody(body), "hex").subarray(0, 16)

const one = (changes: number, problem: string): string | null => (changes === 1 ? null : problem)

const editSql = "UPDATE inbox SET body_seq = ? WHERE session = ? AND prompt = ? AND state = 'pending'"
const cancelSql =
  "UPDATE inbox SET state = 'cancelled' WHERE session = ? AND prompt = ? AND state = 'pending'"
const promoteSql = `UPDATE inbox SET state = 'promoted', promoted_seq = ?, message = ?
  WHERE session = ? AND prompt = ? AND body_seq = ? AND state = 'pending'`
const promoteNoticeSql =
  "UPDATE notice SET promoted_seq = ? WHERE session = ? AND id = ? AND promoted_seq IS NULL"
/**
 * The plus keeps the planner from weighing the kind against the indexes that hold one kind alone: where it does,
 * SQLite prepares the statement anew for every value, and each turn ends marks.
 */
const endMarksSql = "DELETE FROM mark WHERE session = ?1 AND kind = +?2 AND (?3 IS NULL OR id = ?3)"
/** By the index of asks, since a Session has marks of all kinds, and more with each turn. */
const anyAskSql = "SELECT 1 FROM mark INDEXED BY mark_ask WHERE session = ? AND kind = 'ask' LIMIT 1"
const endPairsSql = `DELETE FROM mark INDEXED BY mark_ask WHERE session = ?1 AND kind = 'ask' AND id IN (
  SELECT id FROM mark INDEXED BY mark_ask WHERE session = ?1 AND kind = 'ask' AND seq <= ?2
  GROUP BY id HAVING count(*) = 2)`
const keepMarksSql = `DELETE FROM mark WHERE session = ?1 AND kind = +?2 AND seq < (
  SELECT seq FROM mark WHERE session = ?1 AND kind = +?2 ORDER BY seq DESC LIMIT 1 OFFSET ?3)`
const quarantineSql = `INSERT INTO quarantine SELECT session, seq, ?3 FROM message
  WHERE session = ?1 AND id = ?2 AND kind <> 'system'`
const messageSql = "INSERT INTO message VALUES (?, ?, ?, ?, ?, ?)"
const epochSql = "INSERT OR REPLACE INTO epoch VALUES (?, ?, ?)"
const setEntrySql = "UPDATE epoch SET snapshot = json_set(snapshot, ?, json(?)) WHERE session = ?"
const removeEntrySql = "UPDATE epoch SET snapshot = json_remove(snapshot, ?) WHERE session = ?"
const settleTurnSql =
  "UPDATE turn SET settled_seq = ?, status = ? WHERE session = ? AND id = ? AND settled_seq IS NULL"

function admit(
  connection: Connection,
  session: number,
  seq: number,
  fact: FactOf<"prompt.admitted">,
): string | null {
  connection.run(
    `INSERT INTO inbox (session, admitted_seq, prompt, body_seq, delivery, state, text_hash)
     VALUES (?, ?, ?, ?, ?, 'pending', ?)`,
    session,
    seq,
    fact.prompt,
    seq,
    fact.delivery,
    admittedHash(fact),
  )
  return null
}

function updateContext(
  connection: Connection,
  session: number,
  seq: number,
  fact: FactOf<"context.updated">,
): string | null {
  connection.run(messageSql, session, seq, fact.message, "system", seq, null)
  if (connection.get("SELECT 1 FROM epoch WHERE session = ?", session) === undefined)
    return "no epoch to update"
  for (const [key, entry] of Object.entries(fact.changes)) {
    const path = `$."${key}"` // a source key holds neither quotes nor backslashes (SC1)
    if (entry === null) connection.run(removeEntrySql, path, session)
    else connection.run(setEntrySql, path, JSON.stringify(entry), session)
  }
  return null
}

function recordPart(
  connection: Connection,
  session: number,
  seq: number,
  fact: FactOf<"part.recorded">,
): string | null {
  const message = messageOf(connection, session, fact.turn)
  if (message === null) return "no turn for the part"
  const call = fact.part.type === "call" ? fact.part.call : null
  connection.run(
    "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?, NULL)",
    session,
    message,
    fact.index,
    seq,
    call,
    call === null ? null : "pending",
  )
  return null
}

function startCall(connection: Connection, session: number, fact: FactOf<"call.started">): string | null {
  const message = messageOf(connection, session, fact.turn)
  if (message === null) return "no turn for the call"
  const changes = connection.run(
    `UPDATE part SET state = 'running'
     WHERE session = ? AND message_seq = ? AND call = ? AND state = 'pending'`,
    session,
    message,
    fact.call,
  )
  return one(changes, "no pending call to start")
}

function settleCall(
  connection: Connection,
  session: number,
  seq: number,
  fact: FactOf<"call.settled">,
): string | null {
  const message = messageOf(connection, session, fact.turn)
  if (message === null) return "no turn for the call"
  const changes = connection.run(
    `UPDATE part SET state = ?, settled_seq = ?
     WHERE session = ? AND message_seq = ? AND call = ? AND state IN ('pending', 'running')`,
    fact.outcome.state,
    seq,
    session,
    message,
    fact.call,
  )
  return one(changes, "no open call to settle")
}

function messageOf(connection: Connection, session: number, turn: TurnId): number | null {
  const row = connection.get<{ started_seq: number }>(
    "SELECT started_seq FROM turn WHERE session = ? AND id = ?",
    session,
    turn,
  )
  return row?.started_seq ?? null
}
