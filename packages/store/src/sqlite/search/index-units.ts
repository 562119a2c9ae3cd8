/**
 * The writing side of search: each commit indexes its own events, in its transaction (SE2). What an older
 * store holds, and the rest of a text that would hold up its commit, is owed: it is indexed between commits,
 * a bounded piece at a time.
 */
import type { Event, Fact, FactOf } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { stopChains } from "@holdfast/schema/search/stop-chains"
import { joinedWords, neighbourCharactersMax } from "@holdfast/schema/search/words"
import type { Connection } from "../connection.ts"
import { bodyText, storedUnits, unitsIn } from "./read-units.ts"
import { searchedUnits, type UnitText } from "./units.ts"

/** Units of one event that its commit indexes, about 30 ms of work; the longest prompt has fewer. */
const commitUnits = 80

export function indexUnits(connection: Connection, session: number, event: Event): void {
  const { seq, fact } = event
  noteTool(connection, fact)
  const units = searchedUnits(fact, {
    calledTool: () => (fact.type === "call.settled" ? calledTool(connection, session, fact) : null),
    body: () => (fact.type === "prompt.promoted" ? bodyText(connection, session, fact.bodySeq) : null),
  })
  writeUnits(connection, session, event, units.slice(0, commitUnits))
  if (units.length > commitUnits)
    connection.run("INSERT OR REPLACE INTO owed VALUES (?, ?, ?)", session, seq, commitUnits)
}

function writeUnits(
  connection: Connection,
  session: number,
  event: Pick<Event, "seq" | "time" | "fact">,
  units: readonly UnitText[],
): void {
  const { seq, time, fact } = event
  const turn = fact.type === "part.recorded" || fact.type === "call.settled" ? fact.turn : null
  let before = (units[0]?.piece ?? 1) === 0 ? textBefore(connection, session, seq) : ""
  for (const { idx, piece, author, text, range } of units) {
    const near = piece === 0 ? wordsOf(before.slice(-neighbourCharactersMax)) : ""
    if (connection.run(insertUnitSql, session, seq, idx, range?.fromSeq ?? null, turn, author) > 0)
      connection.run(insertWordsSql, `${wordsOf(text)} ${stopChains(text)}`, near)
    before = text
  }
  const last = units.at(-1)
  if (last !== undefined)
    keepLast(rememberedOf(connection).texts, session, {
      seq,
      idx: last.idx,
      time,
      end: before.slice(-neighbourCharactersMax),
    })
}

/** What was said in a turn belongs to its message. What is indexed stays as it is. */
const insertUnitSql = `INSERT INTO unit (session, seq, idx, message_seq, author)
  VALUES (?1, ?2, ?3, coalesce(?4, (SELECT started_seq FROM turn WHERE session = ?1 AND id = ?5), ?2), ?6)
  ON CONFLICT DO NOTHING`
/**
 * Of the unit that was just inserted. A statement that returns its row, or could be undone in part, would make
 * the index write out first what it holds: words of one commit are written once.
 */
const insertWordsSql = "INSERT INTO word (rowid, own, before) VALUES (last_insert_rowid(), ?, ?)"

/** By their text: what one unit says, the next one says again as what stood before it. */
const shortTexts = new Map<string, string>()
const shortTextsMax = 64

function wordsOf(text: string): string {
  const known = shortTexts.get(text)
  if (known !== undefined) return known
  const words = joinedWords(text)
  if (text.length <= neighbourCharactersMax) keepLast(shortTexts, text, words, shortTextsMax)
  return words
}

/** Of Sessions that were written last. */
const rememberedMax = 256

function keepLast<K, V>(map: Map<K, V>, key: K, value: V, countMax = rememberedMax): void {
  const [oldest] = map.keys()
  if (oldest !== undefined && map.size >= countMax && !map.has(key)) map.delete(oldest)
  map.set(key, value)
}

/** What the writer of a store need not read back: how the last unit of a Session ended, and the tools of calls that have not settled. */
interface Remembered {
  readonly texts: Map<number, LastText>
  readonly tools: Map<string, string>
}
/** Another unit that came to stand there has another time. */
interface LastText extends LastUnit {
  readonly end: string
}
interface LastUnit {
  readonly seq: number
  readonly idx: number
  readonly time: number
}
const remembered = new WeakMap<Connection, Remembered>()

function rememberedOf(connection: Connection): Remembered {
  const known = remembered.get(connection)
  if (known !== undefined) return known
  const made: Remembered = { texts: new Map(), tools: new Map() }
  remembered.set(connection, made)
  return made
}

/** What was written did not come to be. */
export const forgetWritten = (connection: Connection): void => void remembered.delete(connection)

/** The text of the unit before a sequence; of a text that is long only its end is used. */
function textBefore(connection: Connection, session: number, seq: number): string {
  const last = connection.get<LastUnit>(lastUnitSql, session, seq)
  if (last === undefined) return ""
  const known = rememberedOf(connection).texts.get(session)
  if (known?.seq === last.seq && known.idx === last.idx && known.time === last.time) return known.end
  const row = connection.get<StoredRow>(eventSql, session, last.seq)
  if (row === undefined) return ""
  return unitsIn(row, (fact) => storedUnits(connection, session, fact))[last.idx]?.text ?? ""
}

const lastUnitSql = `SELECT unit.seq, unit.idx, event.time
  FROM unit JOIN event ON event.session = unit.session AND event.seq = unit.seq
  WHERE unit.session = ? AND unit.seq < ? ORDER BY unit.seq DESC, unit.idx DESC LIMIT 1`

/** Most calls settle soon. */
const toolKey = (turn: string, call: string): string => `${turn} ${call}`

function noteTool(connection: Connection, fact: Fact): void {
  if (fact.type === "part.recorded" && fact.part.type === "call")
    keepLast(rememberedOf(connection).tools, toolKey(fact.turn, fact.part.call), fact.part.name)
}

const calledTool = (
  connection: Connection,
  session: number,
  { turn, call }: FactOf<"call.settled">,
): string | null =>
  rememberedOf(connection).tools.get(toolKey(turn, call)) ??
  connection.get<{ name: string | null }>(calledToolSql, session, turn, call)?.name ??
  null

const calledToolSql = `SELECT json_extract(event.data, '$.part.name') AS name
  FROM turn
  JOIN part ON part.session = turn.session AND part.message_seq = turn.started_seq AND part.call = ?3
  JOIN event ON event.session = part.session AND event.seq = part.seq
  WHERE turn.session = ?1 AND turn.id = ?2`

/** Events of an older store, or units of a long text, that one step indexes. */
const stepEvents = 200
const stepUnits = 16

/** One step of what is owed; true if there is more. Runs inside a transaction. */
export function indexMore(connection: Connection): boolean {
  const text = connection.get<OwedText>(owedSql)
  const due = connection.get<OwedEvents>(dueSql)
  if (text !== undefined) indexOwedText(connection, text)
  else if (due !== undefined) indexOwedEvents(connection, due)
  return !isIndexed(connection)
}

function indexOwedText(connection: Connection, { session, seq, done }: OwedText): void {
  const row = connection.get<StoredRow>(eventSql, session, seq)
  const facts = row === undefined ? [] : unitsIn(row, (fact) => [{ time: row.time, fact }])
  const units = facts.flatMap(({ fact }) => storedUnits(connection, session, fact))
  const some = units.slice(done, done + stepUnits)
  for (const { time, fact } of facts) writeUnits(connection, session, { seq, time, fact }, some)
  if (done + some.length < units.length)
    connection.run("UPDATE owed SET done = ? WHERE session = ? AND seq = ?", done + some.length, session, seq)
  else connection.run("DELETE FROM owed WHERE session = ? AND seq = ?", session, seq)
}

function indexOwedEvents(connection: Connection, due: OwedEvents): void {
  const rows = connection.all<StoredRow>(stepSql, due.session, due.done, due.through, stepEvents)
  const events = rows.flatMap((row) => unitsIn(row, (fact): Event[] => [{ ...row, session: due.id, fact }]))
  for (const event of events) indexUnits(connection, due.session, event)
  const done =
    connection.get<{ seq: number | null }>(lastOfStepSql, due.session, due.done, stepEvents)?.seq ??
    due.through
  if (done >= due.through) connection.run("DELETE FROM unindexed WHERE session = ?", due.session)
  else connection.run("UPDATE unindexed SET done = ? WHERE session = ?", done, due.session)
}

interface OwedText {
  readonly session: number
  readonly seq: number
  readonly done: number
}
interface OwedEvents {
  readonly session: number
  readonly id: SessionId
  readonly done: number
  readonly through: number
}
interface StoredRow extends Pick<Event, "seq" | "version" | "time"> {
  readonly type: string
  readonly data: string
}
const eventSql = "SELECT seq, version, time, type, data FROM event WHERE session = ? AND seq = ?"
const stepSql = `SELECT seq, version, time, type, data FROM event
  WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`

/** Words of deleted units leave the index a piece at a time, and all of them with the last unit (ST3). */
export function forgetWords(connection: Connection): void {
  const some = connection.get("SELECT 1 FROM unit LIMIT 1") !== undefined
  if (some) connection.run("INSERT INTO word (word, rank) VALUES ('merge', 64)")
  else connection.run("INSERT INTO word (word) VALUES ('delete-all')")
}

export const isIndexed = (connection: Connection): boolean =>
  connection.get("SELECT 1 FROM owed UNION ALL SELECT 1 FROM unindexed LIMIT 1") === undefined

/** The newest Sessions first: they are searched most. */
const owedSql = "SELECT session, seq, done FROM owed ORDER BY session DESC, seq DESC LIMIT 1"
const dueSql = `SELECT unindexed.*, session.id FROM unindexed JOIN session ON session.key = unindexed.session
  ORDER BY unindexed.session DESC LIMIT 1`
const lastOfStepSql =
  "SELECT max(seq) AS seq FROM (SELECT seq FROM event WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?)"
