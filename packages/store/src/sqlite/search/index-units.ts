/**
 * The writing side of search. A commit notes which of its events say something, and the index reads them behind
 * it, a bounded piece at a time: between commits, or when somebody searches, who waits for it (SE2). So neither
 * the work of the index nor its damage is on the path of a turn (FA1).
 *
 *   commit ──▶ unindexed: Session, done … through ──▶ idle, much to read, or a search ──▶ unit, word
 *
 * All of it follows from the log: an index that cannot be read is made anew.
 */
import type { Event, Fact, FactOf } from "@holdfast/schema/event"
import { stopChains } from "@holdfast/schema/search/stop-chains"
import { joinedWords, neighbourCharactersMax } from "@holdfast/schema/search/words"
import { sqliteCode } from "../../failure.ts"
import type { Connection } from "../connection.ts"
import { wordTable } from "../versions/2.ts"
import { gitWordTable } from "../versions/7.ts"
import { indexCommits } from "./commits.ts"
import { bodyText, storedUnits, unitsIn } from "./read-units.ts"
import { sayingTypes, searchedUnits, type UnitText } from "./units.ts"

/** In the transaction that wrote the event. */
export function noteUnits(connection: Connection, session: number, { seq, fact }: Event): void {
  if (sayingTypes.includes(fact.type)) connection.run(noteSql, session, seq)
}

const noteSql = `INSERT INTO unindexed VALUES (?1, ?2 - 1, ?2)
  ON CONFLICT(session) DO UPDATE SET through = max(through, excluded.through)`

/** Units of one event that a step indexes at once, about 30 ms of work; the rest is owed. */
const eventUnits = 80

export function indexUnits(
  connection: Connection,
  session: number,
  event: Pick<Event, "seq" | "time" | "fact">,
): void {
  const { seq, fact } = event
  const units = unitsOf(connection, session, fact)
  writeUnits(connection, session, event, units.slice(0, eventUnits))
  if (units.length > eventUnits)
    connection.run("INSERT OR REPLACE INTO owed VALUES (?, ?, ?)", session, seq, eventUnits)
}

/** Empty where the record has not the shape of its type: what cannot be read says nothing. */
function unitsOf(connection: Connection, session: number, fact: Fact): readonly UnitText[] {
  try {
    noteTool(connection, fact)
    return searchedUnits(fact, {
      calledTool: () => (fact.type === "call.settled" ? calledTool(connection, session, fact) : null),
      body: () => (fact.type === "prompt.promoted" ? bodyText(connection, session, fact.bodySeq) : null),
    })
  } catch (cause) {
    if (cause instanceof TypeError) return []
    throw cause
  }
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
    const words = [`${wordsOf(text)} ${stopChains(text)}`, near] as const
    if (connection.run(insertUnitSql, session, seq, idx, range?.fromSeq ?? null, turn, author) > 0)
      connection.run(insertWordsSql, ...words)
    else
      connection.run(
        insertAgainSql,
        connection.get<{ id: number }>(unitSql, session, seq, idx)?.id ?? null,
        ...words,
      )
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

/** A unit that was there before its words: they were lost with an index that was damaged. */
const unitSql = "SELECT id FROM unit WHERE session = ? AND seq = ? AND idx = ?"
const insertAgainSql = "INSERT INTO word (rowid, own, before) VALUES (?, ?, ?)"

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

/** What one step indexes at most: events, bytes of their records, or units of a long text. */
const stepEvents = 512
/** Of one Session that are read at a time: a record may be long. */
const stepRows = 64
export const stepBytes = 131_072
const stepUnits = 16

/** One step: what was said last, and then what is owed of long texts. True if there is more. Runs inside a transaction. */
export function indexMore(connection: Connection): boolean {
  const room = { events: stepEvents, bytes: stepBytes }
  let due = connection.get<OwedEvents>(dueSql)
  const text = due === undefined ? connection.get<OwedText>(owedSql) : undefined
  for (; due !== undefined && room.events > 0 && room.bytes > 0; due = connection.get<OwedEvents>(dueSql))
    indexEvents(connection, due, room)
  if (text !== undefined) indexOwedText(connection, text)
  connection.run("INSERT INTO word (word) VALUES ('flush')") // so that it fails here, if it does
  return !isIndexed(connection)
}

/**
 * Begins anew, where the words cannot be read. Units stay, with their numbers: what points at them is sound. Runs inside a
 * transaction of its own.
 */
export function forgetIndex(connection: Connection): void {
  forgetWritten(connection)
  connection.db.exec(`DROP TABLE word; ${wordTable} DROP TABLE git_word; ${gitWordTable}
    DELETE FROM owed; DELETE FROM unindexed;
    INSERT INTO unindexed SELECT session, 0, max(seq) FROM event GROUP BY session;`)
  indexCommits(connection)
}

/** SQLITE_CORRUPT_VTAB: the index is damaged, and nothing else. */
export const isIndexDamage = (cause: unknown): boolean => sqliteCode(cause) === 267

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

/** The next events of a Session, as many as there is room for, and one at least; what cannot be read says nothing. */
function indexEvents(
  connection: Connection,
  { session, done, through }: OwedEvents,
  room: { events: number; bytes: number },
): void {
  let last = done
  for (const { seq, time, type, data } of connection.all<StoredRow>(
    stepSql,
    session,
    done,
    through,
    stepRows,
  )) {
    for (const fact of unitsIn({ type, data }, (one) => [one]))
      indexUnits(connection, session, { seq, time, fact })
    last = seq
    room.events -= 1
    room.bytes -= data.length
    if (room.bytes <= 0) break
  }
  if (last === done || last >= through) connection.run("DELETE FROM unindexed WHERE session = ?", session)
  else connection.run("UPDATE unindexed SET done = ? WHERE session = ?", last, session)
}

interface OwedText {
  readonly session: number
  readonly seq: number
  readonly done: number
}
interface OwedEvents {
  readonly session: number
  readonly done: number
  readonly through: number
}
interface StoredRow extends Pick<Event, "seq" | "time"> {
  readonly type: string
  readonly data: string
}
const eventSql = "SELECT seq, time, type, data FROM event WHERE session = ? AND seq = ?"
const stepSql = `SELECT seq, time, type, data FROM event WHERE session = ? AND seq > ? AND seq <= ?
  AND type IN (${sayingTypes.map((type) => `'${type}'`).join()}) ORDER BY seq LIMIT ?`

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
/** What was just said before the whole log of an older store. */
const dueSql = "SELECT session, done, through FROM unindexed ORDER BY through - done, session DESC LIMIT 1"
