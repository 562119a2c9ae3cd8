/**
 * Facts that anybody may write without the lease: titles, answers, notices, published history.
 *
 * Whoever leads the Session folds them in at its next boundary, so none of these commands has to
 * know what a drain remembers. Each says here when it is accepted: an id that was used before is a
 * repeat, an ask is answered once, history is published once a range (PE5, HI4).
 */
import { hash } from "node:crypto"
import type { FactOf } from "@holdfast/schema/event"
import { isReverted } from "@holdfast/schema/state/items"
import { contentText } from "@holdfast/schema/state/content-text"
import type { Contribute, ContributedFact } from "../port.ts"
import { appendFacts } from "./append-facts.ts"
import { isOpenAsk } from "./ask-marks.ts"
import type { Connection } from "./connection.ts"
import { readMarked } from "./marked.ts"
import { learnFacts } from "./memory/learn.ts"
import { type Applied, runsCommand } from "./input-commands.ts"
import type { Source } from "./read-events.ts"
import { readMessages } from "./read-messages.ts"
import { findSession, type KeyedSession } from "./session-row.ts"
import { takeEvent } from "./take-fact.ts"

export function contribute(connection: Connection, command: Contribute): Applied<Contribute> {
  const row = findSession(connection, command.session)
  if (row === undefined) return { outcome: { kind: "no-session" }, advanced: null }
  const judged = judge(connection, row, command.fact)
  const changed = command.ifUnchanged === true && isChanged(connection, row, command.fact)
  const verdict: Verdict = changed ? { kind: "refused", problem: "overtaken" } : judged
  if (verdict.kind === "refused") return { outcome: verdict, advanced: null }
  if (verdict.kind === "repeated")
    return { outcome: { kind: "contributed", seq: verdict.seq, repeated: true }, advanced: null }
  const facts = [command.fact, ...(command.raises ?? [])]
  const { seq } = appendFacts(connection, row, command.time, facts).summary
  if (command.project !== undefined && command.fact.type === "history.published")
    learnFacts(connection, command.project, row, command.time, command.fact)
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
      return repeatedAt(connection, noticeSql, row, fact.notice)
    case "ask.raised":
      return repeatedAt(connection, raisedSql, row, fact.ask)
    case "ask.answered":
      return isOpenAsk(connection, row.key, fact.ask) ? fresh : { kind: "refused", problem: "not-open" }
    case "command.ended":
      return runsCommand(connection, row, fact.command) ? fresh : { kind: "refused", problem: "not-open" }
    case "message.quarantined":
      return judgeQuarantine(connection, row, fact.message)
    case "history.published":
      return judgeHistory(connection, row, fact)
    case "session.updated":
      return judgeTitle(row, fact)
    default:
      return fresh
  }
}

const noticeSql = "SELECT admitted_seq AS seq FROM notice WHERE session = ? AND id = ?"
const raisedSql = "SELECT seq FROM mark WHERE session = ? AND kind = 'ask' AND id = ? ORDER BY seq"

function repeatedAt(connection: Connection, sql: string, row: KeyedSession, id: string): Verdict {
  const found = connection.get<{ seq: number }>(sql, row.key, id)
  return found === undefined ? fresh : { kind: "repeated", seq: found.seq }
}

/** SS2: a title that a person gave stays, and one that was taken away stays away. */
function judgeTitle({ summary }: KeyedSession, { title, titledBy }: FactOf<"session.updated">): Verdict {
  const made = typeof title === "string" && titledBy === "runtime"
  const stands = summary.titledBy === "runtime" && summary.title !== null
  return made && !stands ? { kind: "refused", problem: "overtaken" } : fresh
}

/** HI4: the range follows what is recorded, or takes the place of compartments that still stand. */
function judgeHistory(connection: Connection, row: KeyedSession, fact: FactOf<"history.published">): Verdict {
  const known = fact.replaces.length === 0 ? null : compartmentIds(connection, row)
  const stands =
    known === null ? fact.fromSeq === row.summary.historyEnd + 1 : fact.replaces.every((id) => known.has(id))
  return stands ? fresh : { kind: "refused", problem: "overtaken" }
}

/** HI4: compared where it is published, so that nothing comes between. */
function isChanged(connection: Connection, row: KeyedSession, fact: ContributedFact): boolean {
  if (fact.type !== "history.published") return false
  const source = sourceOf(connection, row)
  const { items } = readMarked(source)
  const [afterSeq, beforeSeq] = [fact.fromSeq - 1, fact.toSeq + 1]
  const messages = readMessages(source, { afterSeq, beforeSeq, limit: beforeSeq, system: false })
  const standing = messages.filter(({ seq }) => !isReverted(items, seq))
  return hash("sha256", contentText(standing)) !== fact.fingerprint
}

const compartmentIds = (connection: Connection, row: KeyedSession): ReadonlySet<string> =>
  new Set(readMarked(sourceOf(connection, row)).items.compartments.keys())

const sourceOf = (connection: Connection, { key, id }: KeyedSession): Source => ({
  connection,
  key,
  id,
  damage: [],
  decode: takeEvent,
})

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
