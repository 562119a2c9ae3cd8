/**
 * The lexical half of search: units whose words match (SE1).
 *
 * Words that very many units hold say little and cost most: where rarer ones are asked for too, they are
 * left out, and where there are only such, all of them must match. Nothing that is found depends on how
 * large the store is otherwise.
 */
import type { SessionId } from "@holdfast/schema/id"
import type { SearchAnswer, SearchQuestion, UnitAuthor, UnitHit } from "../../search.ts"
import { type Connection, inSnapshot } from "../connection.ts"

/** What a match in the unit before is worth, against one in the unit itself. */
const beforeWeight = 0.5
/** A question of any length is answered by its first words and phrases. */
const wordsMax = 64
const phrasesMax = 4
/** Units that are ranked for one question, as far as it is up to common words. */
const rankedMax = 4_000
/** How far back a single common word is looked for. */
const newestUnits = 20_000

export function searchUnits(connection: Connection, question: SearchQuestion): SearchAnswer {
  return inSnapshot(connection, () => {
    const unindexed = connection.get<{ events: number }>(unindexedSql)?.events ?? 0
    const words = [...new Set(question.words)].slice(0, wordsMax).map(quoted)
    if (words.length === 0) return { hits: [], unindexed }
    const exact = exactUnits(connection, question)
    const rows = new Map(exact.map((row) => [row.unit, row]))
    for (const row of matching(connection, words, question)) rows.set(row.unit, row)
    const isExact = new Set(exact.map(({ unit }) => unit))
    const hits = [...rows.values()]
      .toSorted((a, b) => Number(isExact.has(b.unit)) - Number(isExact.has(a.unit)) || b.score - a.score)
      .slice(0, question.limit)
    const all = withLeading(connection, hits, question)
    return { hits: all.map((row) => hitOf(connection, row, isExact.has(row.unit))), unindexed }
  })
}

const unindexedSql = "SELECT coalesce(sum(through - done), 0) AS events FROM unindexed"

/** Each word stands in quotes, so that nothing in it is an operator. */
const quoted = (word: string): string => `"${word.replaceAll('"', "")}"`

interface Row {
  readonly unit: number
  readonly session: number
  readonly id: SessionId
  readonly seq: number
  readonly idx: number
  readonly message_seq: number
  readonly author: UnitAuthor
  readonly score: number
}

function exactUnits(connection: Connection, question: SearchQuestion): readonly Row[] {
  const phrases = question.phrases.filter((phrase) => phrase.length > 0).slice(0, phrasesMax)
  return phrases.flatMap((phrase) => {
    const words = phrase.slice(0, wordsMax)
    const rare = countOf(connection, quoted(words.toSorted((a, b) => b.length - a.length)[0] ?? ""))
    const from = rare > rankedMax ? newestFrom(connection) : 0
    return ranked(connection, `own : ${quoted(words.join(" "))}`, question, from)
  })
}

function matching(
  connection: Connection,
  words: readonly string[],
  question: SearchQuestion,
): readonly Row[] {
  if (unitCount(connection) <= rankedMax) return ranked(connection, words.join(" OR "), question, 0)
  const counted = words
    .map((word) => ({ word, units: countOf(connection, word) }))
    .filter(({ units }) => units > 0)
    .toSorted((a, b) => a.units - b.units)
  const rare: string[] = []
  let units = 0
  for (const one of counted) {
    units += one.units
    if (units > rankedMax) break
    rare.push(one.word)
  }
  if (rare.length > 0) return ranked(connection, rare.join(" OR "), question, 0)
  const [rarest] = counted
  if (rarest === undefined) return []
  const from = newestFrom(connection)
  const all = ranked(connection, counted.map(({ word }) => word).join(" AND "), question, from)
  return all.length > 0 ? all : ranked(connection, rarest.word, question, from)
}

const unitCount = (connection: Connection): number =>
  connection.get<{ last: number | null }>("SELECT max(id) AS last FROM unit")?.last ?? 0

const newestFrom = (connection: Connection): number => Math.max(0, unitCount(connection) - newestUnits)

/** How many units hold a word; counted no further than it matters. */
const countOf = (connection: Connection, match: string): number =>
  connection.get<{ units: number }>(countSql, match, rankedMax + 1)?.units ?? 0
const countSql = "SELECT count(*) AS units FROM (SELECT 1 FROM word WHERE word MATCH ? LIMIT ?)"

/** Looks further down the list until enough of it may be found, or the list ends. */
function ranked(
  connection: Connection,
  match: string,
  question: SearchQuestion,
  fromUnit: number,
): readonly Row[] {
  const open = new Map<number, SessionId | null>()
  for (let top = question.limit * 2; ; top *= 8) {
    const best = connection.all<{ unit: number; score: number }>(bestSql, match, fromUnit, top)
    const rows: Row[] = []
    for (const { unit, score } of best) {
      const row = mayBeFound(connection, unit, question, open)
      if (row !== null) rows.push({ ...row, score })
      if (rows.length === question.limit) break
    }
    if (rows.length === question.limit || best.length < top) return rows
  }
}

const bestSql = `SELECT rowid AS unit, -bm25(word, 1.0, ${beforeWeight}) AS score
  FROM word WHERE word MATCH ?1 AND rowid > ?2 ORDER BY score DESC LIMIT ?3`

/** Null for what the question leaves out. `sessions` remembers which may be searched. */
function mayBeFound(
  connection: Connection,
  unit: number,
  { projectRoot, session, unless }: SearchQuestion,
  sessions: Map<number, SessionId | null>,
): Omit<Row, "score"> | null {
  const row = connection.get<Omit<Row, "score" | "id">>(unitSql, unit)
  if (row === undefined) return null
  let id = sessions.get(row.session)
  if (id === undefined) {
    id = connection.get<{ id: SessionId }>(sessionSql, row.session, projectRoot, session ?? null)?.id ?? null
    sessions.set(row.session, id)
  }
  if (id === null || (unless?.session === id && row.message_seq >= unless.fromSeq)) return null
  return { ...row, id }
}

/** What was taken out of a conversation is not found. */
const unitSql = `SELECT id AS unit, session, seq, idx, message_seq, author FROM unit
  WHERE id = ? AND NOT EXISTS (SELECT 1 FROM quarantine
    WHERE quarantine.session = unit.session AND quarantine.message_seq = unit.message_seq)`
/** Jobs are never searched. */
const sessionSql = `SELECT id FROM session
  WHERE key = ?1 AND kind IN ('primary', 'child') AND (?3 IS NULL OR id = ?3)
    AND (?2 IS NULL OR ?2 = (SELECT project_root FROM location
      WHERE directory = json_extract(session.summary, '$.location.directory')))`

/** Hits whose unit before is looked at too: it may be what they answer to. */
const leadingMax = 100

/** The units in front of the best, where they do not match themselves. */
function withLeading(connection: Connection, rows: readonly Row[], question: SearchQuestion): readonly Row[] {
  const known = new Set(rows.map(({ unit }) => unit))
  const sessions = new Map<number, SessionId | null>()
  const leading = rows.slice(0, leadingMax).flatMap(({ session, seq, idx }) => {
    const before = connection.get<{ id: number }>(beforeSql, session, seq, idx)
    if (before === undefined || known.has(before.id)) return []
    known.add(before.id)
    const row = mayBeFound(connection, before.id, question, sessions)
    return row === null ? [] : [{ ...row, score: 0 }]
  })
  return [...rows, ...leading]
}

const beforeSql =
  "SELECT id FROM unit WHERE session = ? AND (seq, idx) < (?, ?) ORDER BY seq DESC, idx DESC LIMIT 1"

function hitOf(connection: Connection, row: Row, exact: boolean): UnitHit {
  const { unit, session, id, seq, idx, message_seq: messageSeq, author, score } = row
  const [after, secondAfter] = connection.all<{ id: number }>(afterSql, session, seq, idx)
  return {
    unit,
    session: id,
    seq,
    idx,
    messageSeq,
    author,
    score,
    exact,
    after: after?.id ?? null,
    secondAfter: secondAfter?.id ?? null,
  }
}

const afterSql = "SELECT id FROM unit WHERE session = ? AND (seq, idx) > (?, ?) ORDER BY seq, idx LIMIT 2"
