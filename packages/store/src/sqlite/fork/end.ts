/**
 * Where a fork ends: behind everything that is settled, and in front of anything that is not (SS1).
 *
 * A boundary is one commit: input, what the context says beside it, a pass, and the turn. A fork at a
 * message takes along what its boundary said beside it, so that asking again there asks the same; a
 * fork of a Session at work leaves the whole boundary of the turn that runs to its source.
 */
import type { ForkSession } from "../../port.ts"
import type { Connection } from "../connection.ts"
import type { KeyedSession } from "../session-row.ts"

/** The last sequence that is copied. */
export function findForkEnd(
  connection: Connection,
  source: KeyedSession,
  message: ForkSession["message"],
): number | "no-message" | "unsettled" {
  if (message === null) return lastSettled(connection, source)
  const found = connection.get<{ seq: number; turn: string | null }>(
    "SELECT seq, turn FROM message WHERE session = ? AND id = ?",
    source.key,
    message,
  )
  if (found === undefined) return "no-message"
  const end =
    found.turn === null
      ? reachOf(connection, source, found.seq, 1, besideInput)
      : answerEnd(connection, source, found.seq, found.turn)
  return end === null || firstOpen(connection, source, end) !== null ? "unsettled" : end
}

/** Facts of a boundary in front of its turn, and those of them that are not somebody's words. */
const besideInput: ReadonlySet<string> = new Set(["context.updated", "limit.learned", "pass.applied"])
const beforeTurn: ReadonlySet<string> = new Set([
  ...besideInput,
  "prompt.promoted",
  "notice.promoted",
  "epoch.started",
])

/** The whole log, or what was there before the boundary of a turn that is not settled. */
export function lastSettled(connection: Connection, source: KeyedSession): number {
  for (let end = source.summary.seq; ;) {
    const open = firstOpen(connection, source, end)
    if (open === null) return end
    end = reachOf(connection, source, open, -1, beforeTurn) - 1
  }
}

/** The first turn that was open behind a sequence, by its start, or that had a call which was. */
function firstOpen(connection: Connection, { key }: KeyedSession, end: number): number | null {
  const open = connection.get<{ seq: number | null }>(
    `SELECT min(start) AS seq FROM (
       SELECT started_seq AS start, settled_seq FROM turn WHERE session = ?1 AND started_seq <= ?2
       UNION ALL
       SELECT message_seq, settled_seq FROM part WHERE session = ?1 AND seq <= ?2 AND call IS NOT NULL
     ) WHERE settled_seq IS NULL OR settled_seq > ?2`,
    key,
    end,
  )
  return open?.seq ?? null
}

/** The furthest place from a sequence on, in one direction, that facts of these types lead to. */
function reachOf(
  connection: Connection,
  { key }: KeyedSession,
  from: number,
  step: 1 | -1,
  types: ReadonlySet<string>,
): number {
  for (let at = from; ; at += step) {
    const next = connection.get<{ type: string }>(
      "SELECT type FROM event WHERE session = ? AND seq = ?",
      key,
      at + step,
    )
    if (next === undefined || !types.has(next.type)) return at
  }
}

/** Where the last of an answer was settled, its calls included; null as long as its turn runs. */
function answerEnd(
  connection: Connection,
  { key }: KeyedSession,
  message: number,
  turn: string,
): number | null {
  const answer = connection.get<{ turn_end: number | null; calls_end: number | null }>(
    `SELECT settled_seq AS turn_end, (
       SELECT max(settled_seq) FROM part WHERE session = ?1 AND message_seq = ?2) AS calls_end
     FROM turn WHERE session = ?1 AND id = ?3`,
    key,
    message,
    turn,
  )
  const turnEnd = answer?.turn_end ?? null
  return turnEnd === null ? null : Math.max(turnEnd, answer?.calls_end ?? 0)
}
