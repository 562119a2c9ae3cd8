/**
 * Facts that anybody may write without the lease: titles, answers, notices, published history.
 *
 * Whoever leads the Session folds them in at its next boundary, so none of these commands has to
 * know what a drain remembers. Each says here when it is accepted: an id that was used before is a
 * repeat, an ask is answered once, history is published once a range (PE5, HI4).
 */
import type { Event } from "@holdfast/schema/event"
import type { Contribute, ContributedFact } from "../port.ts"
import { appendFacts } from "./append-facts.ts"
import type { Connection } from "./connection.ts"
import type { Applied } from "./input-commands.ts"
import { findSession, type KeyedSession } from "./session-row.ts"

export function contribute(connection: Connection, command: Contribute): Applied<Contribute> {
  const row = findSession(connection, command.session)
  if (row === undefined) return { outcome: { kind: "no-session" }, advanced: null }
  const verdict = judge(connection, row, command.fact)
  if (verdict.kind === "refused") return { outcome: verdict, advanced: null }
  if (verdict.kind === "repeated")
    return { outcome: { kind: "contributed", seq: verdict.seq, repeated: true }, advanced: null }
  const { seq } = appendFacts(connection, row, command.time, [command.fact]).summary
  return { outcome: { kind: "contributed", seq, repeated: false }, advanced: seq }
}

type Verdict =
  | { readonly kind: "fresh" }
  | { readonly kind: "repeated"; readonly seq: number }
  | { readonly kind: "refused"; readonly problem: "no-message" | "not-open" | "overtaken" }

const fresh: Verdict = { kind: "fresh" }

function judge(connection: Connection, row: KeyedSession, fact: ContributedFact): Verdict {
  switch (fact.type) {
    case "notice.admitted":
      return repeatedAt(
        connection,
        "SELECT admitted_seq AS seq FROM notice WHERE session = ? AND id = ?",
        row,
        fact.notice,
      )
    case "ask.raised":
      return askEvents(connection, row, fact.ask).length > 0
        ? { kind: "repeated", seq: row.summary.seq }
        : fresh
    case "ask.answered":
      return judgeAnswer(connection, row, fact.ask)
    case "message.quarantined":
      return judgeQuarantine(connection, row, fact.message)
    case "history.published": {
      const follows = fact.fromSeq === row.summary.historyEnd + 1 || fact.replaces.length > 0
      return follows ? fresh : { kind: "refused", problem: "overtaken" }
    }
    default:
      return fresh
  }
}

function repeatedAt(connection: Connection, sql: string, row: KeyedSession, id: string): Verdict {
  const found = connection.get<{ seq: number }>(sql, row.key, id)
  return found === undefined ? fresh : { kind: "repeated", seq: found.seq }
}

/** An ask is open while its raising is marked and no answer is. */
function judgeAnswer(connection: Connection, row: KeyedSession, ask: string): Verdict {
  const types = askEvents(connection, row, ask)
  return types.length === 1 && types[0] === "ask.raised" ? fresh : { kind: "refused", problem: "not-open" }
}

const askEvents = (
  connection: Connection,
  row: KeyedSession,
  ask: string,
): readonly Event["fact"]["type"][] =>
  connection
    .all<{ type: Event["fact"]["type"] }>(
      `SELECT event.type FROM mark JOIN event ON event.session = mark.session AND event.seq = mark.seq
       WHERE mark.session = ? AND mark.kind = 'ask' AND mark.id = ?`,
      row.key,
      ask,
    )
    .map(({ type }) => type)

/** LL7. System messages are the runtime's own. */
function judgeQuarantine(connection: Connection, row: KeyedSession, message: string): Verdict {
  const found = connection.get<{ kind: string; quarantined: number | null }>(
    `SELECT kind, quarantine.seq AS quarantined FROM message
     LEFT JOIN quarantine ON quarantine.session = message.session AND message_seq = message.seq
     WHERE message.session = ? AND id = ?`,
    row.key,
    message,
  )
  if (found === undefined || found.kind === "system") return { kind: "refused", problem: "no-message" }
  return found.quarantined === null ? fresh : { kind: "repeated", seq: found.quarantined }
}
