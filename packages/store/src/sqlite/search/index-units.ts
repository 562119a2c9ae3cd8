/**
 * The writing side of search: each commit indexes its own events, in its transaction (SE2). What an older
 * store holds is indexed between commits, a bounded piece at a time.
 */
import type { Event, FactOf } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { joinedWords, neighbourCharactersMax } from "@holdfast/schema/search/words"
import type { Connection } from "../connection.ts"
import { bodyText, readUnitText, unitsIn } from "./read-units.ts"
import { searchedUnits } from "./units.ts"

/** `call.settled` and `part.recorded` belong to the message of their turn. */
export function indexUnits(connection: Connection, session: number, event: Event): void {
  const { seq, fact } = event
  const units = searchedUnits(fact, {
    calledTool: () => (fact.type === "call.settled" ? calledTool(connection, session, fact) : null),
    body: () => (fact.type === "prompt.promoted" ? bodyText(connection, session, fact.bodySeq) : null),
  })
  let before = units.length === 0 ? "" : textBefore(connection, session, seq)
  for (const { idx, author, text, range } of units) {
    const row = connection.get<{ id: number }>(
      insertUnitSql,
      session,
      seq,
      idx,
      range?.fromSeq ?? messageSeq(connection, session, event),
      author,
    )
    connection.run(
      "INSERT INTO word (rowid, own, before) VALUES (?, ?, ?)",
      row?.id ?? null,
      wordsOf(text),
      wordsOf(before.slice(0, neighbourCharactersMax)),
    )
    before = text
  }
}

/** By their text: what one unit says, the next one says again as what stood before it. */
const shortTexts = new Map<string, string>()
const shortTextsMax = 64

function wordsOf(text: string): string {
  const known = shortTexts.get(text)
  if (known !== undefined) return known
  const words = joinedWords(text)
  if (text.length > neighbourCharactersMax) return words
  const [oldest] = shortTexts.keys()
  if (oldest !== undefined && shortTexts.size >= shortTextsMax) shortTexts.delete(oldest)
  shortTexts.set(text, words)
  return words
}

const insertUnitSql =
  "INSERT INTO unit (session, seq, idx, message_seq, author) VALUES (?, ?, ?, ?, ?) RETURNING id"

function messageSeq(connection: Connection, session: number, { seq, fact }: Event): number {
  if (fact.type !== "part.recorded" && fact.type !== "call.settled") return seq
  const turn = connection.get<{ started_seq: number }>(
    "SELECT started_seq FROM turn WHERE session = ? AND id = ?",
    session,
    fact.turn,
  )
  return turn?.started_seq ?? seq
}

/** The text of the unit before a sequence; of a text that is long only its beginning is used. */
function textBefore(connection: Connection, session: number, seq: number): string {
  const last = connection.get<{ seq: number; idx: number }>(
    "SELECT seq, idx FROM unit WHERE session = ? AND seq < ? ORDER BY seq DESC, idx DESC LIMIT 1",
    session,
    seq,
  )
  return last === undefined ? "" : (readUnitText(connection, session, last.seq, last.idx)?.text ?? "")
}

const calledTool = (
  connection: Connection,
  session: number,
  { turn, call }: FactOf<"call.settled">,
): string | null => connection.get<{ name: string | null }>(calledToolSql, session, turn, call)?.name ?? null

const calledToolSql = `SELECT json_extract(event.data, '$.part.name') AS name
  FROM turn
  JOIN part ON part.session = turn.session AND part.message_seq = turn.started_seq AND part.call = ?3
  JOIN event ON event.session = part.session AND event.seq = part.seq
  WHERE turn.session = ?1 AND turn.id = ?2`

/** Events of an older store that one step indexes. */
const stepEvents = 200

/** One step of what an older store still owes; true if there is more. Runs inside a transaction. */
export function indexMore(connection: Connection): boolean {
  const due = connection.get<{ session: number; id: SessionId; done: number; through: number }>(dueSql)
  if (due === undefined) return false
  const rows = connection.all<StoredRow>(stepSql, due.session, due.done, due.through, stepEvents)
  const events = rows.flatMap((row) => unitsIn(row, (fact): Event[] => [{ ...row, session: due.id, fact }]))
  for (const event of events) indexUnits(connection, due.session, event)
  const done =
    connection.get<{ seq: number | null }>(lastOfStepSql, due.session, due.done, stepEvents)?.seq ??
    due.through
  if (done >= due.through) connection.run("DELETE FROM unindexed WHERE session = ?", due.session)
  else connection.run("UPDATE unindexed SET done = ? WHERE session = ?", done, due.session)
  return connection.get(dueSql) !== undefined
}

interface StoredRow extends Pick<Event, "seq" | "version" | "time"> {
  readonly type: string
  readonly data: string
}
const stepSql = `SELECT seq, version, time, type, data FROM event
  WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`

/** Words of deleted units leave the index a piece at a time, and all of them with the last unit (ST3). */
export function forgetWords(connection: Connection): void {
  const some = connection.get("SELECT 1 FROM unit LIMIT 1") !== undefined
  if (some) connection.run("INSERT INTO word (word, rank) VALUES ('merge', 64)")
  else connection.run("INSERT INTO word (word) VALUES ('delete-all')")
}

export const isIndexed = (connection: Connection): boolean => connection.get(dueSql) === undefined

/** The newest Sessions first: they are searched most. */
const dueSql = `SELECT unindexed.*, session.id FROM unindexed JOIN session ON session.key = unindexed.session
  ORDER BY unindexed.session DESC LIMIT 1`
const lastOfStepSql =
  "SELECT max(seq) AS seq FROM (SELECT seq FROM event WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?)"
