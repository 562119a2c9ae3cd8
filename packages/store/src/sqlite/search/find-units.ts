/**
 * The lexical half of search: units whose words match (SE1).
 *
 * Words that very many units hold say little and cost most: where rarer ones are asked for too, they are
 * left out, and where there are only such, all of them must match, the newest first. So an answer takes as
 * long in a large store as in a small one.
 */
import type { SessionId } from "@holdfast/schema/id"
import { isShown } from "@holdfast/schema/state/frozen"
import type {
  QuestionMeaning,
  SearchAnswer,
  SearchQuestion,
  UnitAuthor,
  UnitHit,
  UnitSaid,
} from "../../search/units.ts"
import { type Connection, inSnapshot } from "../connection.ts"
import { projectRoots } from "../memory/places.ts"
import { projectOfSessionSql } from "../rows/location.ts"
import { type Near, nearestUnits } from "./nearest.ts"
import { mayHoldPhrase, newerUnitsSql, type WordList } from "./find-phrase.ts"
import { holdsAny } from "./phrase.ts"
import { readUnitTexts } from "./read-units.ts"
import { unitsBehind } from "./units-behind.ts"

/** What a match in the unit before is worth, against one in the unit itself. */
const beforeWeight = 0.5
/** A question of any length is answered by its first words and phrases. */
const wordsMax = 64
const phrasesMax = 4
/** Units that the words of one question lead to, rarest word first. A word that more hold is common. */
const candidatesMax = 2_000
/** How far back units are looked for that hold common words only. */
const newestUnits = 10_000
/** Units that no word leads to, the nearest in meaning. */
const nearOnlyMax = 80
/** Units whose text is compared with the phrases of a question. */
const comparedMax = 32

/** What the words of a question lead to; its meaning may come later. */
export interface FoundByWords {
  readonly question: SearchQuestion
  readonly found: Candidates
  readonly exact: readonly ExactRow[]
  readonly rows: ReadonlyMap<number, Row>
  readonly sessions: Sessions
}

export function findByWords(connection: Connection, question: SearchQuestion): FoundByWords {
  return inSnapshot(connection, () => {
    const words = [...new Set(question.words)].slice(0, wordsMax).map(quoted)
    const sessions: Sessions = new Map()
    const found = findCandidates(connection, words)
    const exact = exactUnits(connection, found, question, sessions)
    const allowed = mayBeFound(connection, found.units, question, sessions, question.limit)
    return {
      question,
      found,
      exact,
      rows: new Map([...exact, ...allowed].map((row) => [row.unit, row])),
      sessions,
    }
  })
}

export function searchUnits(
  connection: Connection,
  { question, found, exact, rows: byWords, sessions }: FoundByWords,
  meaning: QuestionMeaning | null,
): SearchAnswer {
  return inSnapshot(connection, () => {
    const unindexed = connection.get<{ events: number }>(unindexedSql)?.events ?? 0
    const near =
      meaning === null ? new Map<number, Near>() : nearUnits(connection, question, meaning, sessions)
    const rows = new Map(byWords)
    const others = foundByMeaning(near, meaning?.floor ?? 0, question.words.length).filter(
      (unit) => !rows.has(unit),
    )
    for (const row of mayBeFound(connection, others.slice(0, nearOnlyMax), question, sessions, nearOnlyMax))
      rows.set(row.unit, row)
    if (rows.size === 0) return { hits: [], unindexed }
    const scores = scoresOf(connection, found, [...rows.keys()])
    const isExact = new Map(exact.map(({ unit, said }) => [unit, said]))
    const hits = [...rows.values()].map((row) => ({
      ...row,
      score: scores.get(row.unit) ?? 0,
      meaning: near.get(row.unit)?.meaning ?? 0,
    }))
    const best = [
      ...hits.filter(({ unit }) => isExact.has(unit)).toSorted(byScore),
      ...hits.filter(({ unit }) => !isExact.has(unit)).toSorted(byScore),
    ]
    const all = withLeading(connection, best, question, sessions)
    return { hits: hitsOf(connection, all, isExact), unindexed }
  })
}

/** Fewer words say too little for a text that is only half as like to be meant. */
const tellingWordsMin = 3

/**
 * Units that may be found without any word: none unless one is as like as the floor, and then no other that is not half as
 * like; of a question of one or two words, none that is not as like as the floor itself.
 */
function foundByMeaning(near: ReadonlyMap<number, Near>, floor: number, words: number): readonly number[] {
  const best = Math.max(-1, ...[...near.values()].map(({ likeness }) => likeness))
  if (best < floor) return []
  const least = words < tellingWordsMin ? floor : floor / 2
  return [...near.values()].flatMap(({ unit, likeness }) => (likeness >= least ? [unit] : []))
}

const byScore = (a: ScoredRow, b: ScoredRow): number => b.score - a.score

const unindexedSql =
  "SELECT coalesce(sum(through - done), 0) + (SELECT count(*) FROM owed) AS events FROM unindexed"

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
}
type ExactRow = Row & { readonly said: UnitSaid }
type ScoredRow = Row & { readonly score: number; readonly meaning: number }

interface Candidates {
  /** What the index is asked to score them by; null where they all are worth the same. */
  readonly match: string | null
  /** Those that hold most of the rare words first. */
  readonly units: readonly number[]
  readonly worth: ReadonlyMap<number, number>
  /** Units of each word that was looked up, by the word in quotes. */
  readonly lists: ReadonlyMap<string, WordList>
  /** Units that there are, about. */
  readonly count: number
}

function findCandidates(connection: Connection, words: readonly string[]): Candidates {
  const count = unitCount(connection)
  const lists = new Map(words.map((word) => [word, wordList(connection, word, count)]))
  const rare = [...lists]
    .flatMap(([word, { units }]) => (units === null || units.length === 0 ? [] : [{ word, units }]))
    .toSorted((a, b) => a.units.length - b.units.length)
  const worth = new Map<number, number>()
  const matching: string[] = []
  let listed = 0
  for (const { word, units } of rare) {
    listed += units.length
    if (matching.length > 0 && listed > candidatesMax && count > candidatesMax) break
    matching.push(word)
    const rarity = Math.log(1 + count / units.length)
    for (const unit of units) worth.set(unit, (worth.get(unit) ?? 0) + rarity)
  }
  if (matching.length === 0) {
    const newest = words.length === 0 ? [] : newestWith(connection, words, count)
    return { match: null, units: newest, worth, lists, count }
  }
  return { match: matching.join(" OR "), units: bestFirst(worth), worth, lists, count }
}

/** Of what is worth the same, the newest first. One number holds both: to sort pairs would take many times longer. */
function bestFirst(
  worth: ReadonlyMap<number, number>,
  units: readonly number[] = [...worth.keys()],
): readonly number[] {
  const keys = new Float64Array(units.length)
  for (const [at, unit] of units.entries())
    keys[at] = Math.round((worth.get(unit) ?? 0) * worthSteps) * unitsSpan + unit
  keys.sort()
  const { length } = keys
  return units.map((_, at) => (keys[length - 1 - at] ?? 0) % unitsSpan)
}

const worthSteps = 1_000
const unitsSpan = 2 ** 33

const unitCount = (connection: Connection): number =>
  connection.get<{ last: number | null }>("SELECT max(id) AS last FROM unit")?.last ?? 0

/** Words that were found to be common, for each connection: to count them again would cost most. */
const commonWords = new WeakMap<Connection, Map<string, WordList>>()
const commonWordsMax = 10_000

function wordList(connection: Connection, word: string, count: number): WordList {
  const common = commonWords.get(connection) ?? new Map<string, WordList>()
  commonWords.set(connection, common)
  const known = common.get(word)
  if (known !== undefined) return known
  const found = connection.get<{ units: string }>(listSql, word, candidatesMax + 1)
  const units = JSON.parse(found?.units ?? "[]") as number[]
  if (units.length <= candidatesMax) return { count: units.length, units }
  // As if it stood everywhere as often as in the units that were looked through.
  const list = { count: Math.round((units.length * count) / (units.at(-1) ?? 1)), units: null }
  if (common.size < commonWordsMax) common.set(word, list)
  return list
}

const listSql =
  "SELECT json_group_array(rowid) AS units FROM (SELECT rowid FROM word WHERE word MATCH ? LIMIT ?)"

/** The newest units with all of these words; where there are none, with the last of them, which is seldom the most common. */
function newestWith(connection: Connection, words: readonly string[], count: number): readonly number[] {
  const from = Math.max(0, count - newestUnits)
  const newest = (match: string) =>
    (JSON.parse(connection.get<{ units: string }>(newerUnitsSql, match, from)?.units ?? "[]") as number[])
      .toReversed()
      .slice(0, candidatesMax)
  const all = newest(words.join(" AND "))
  if (all.length > 0 || words.length === 1) return all
  return newest(words.toSorted((a, b) => b.length - a.length)[0] ?? "")
}

function scoresOf(
  connection: Connection,
  { match, units: newest }: Candidates,
  units: readonly number[],
): ReadonlyMap<number, number> {
  if (match === null) return new Map(newest.map((unit) => [unit, 1]))
  const rows = connection.all<{ unit: number; score: number }>(scoreSql, match, JSON.stringify(units))
  return new Map(rows.map(({ unit, score }) => [unit, score]))
}

/** The sign keeps the index from being asked once for each unit. */
const scoreSql = `SELECT rowid AS unit, -bm25(word, 1.0, ${beforeWeight}) AS score
  FROM word WHERE word MATCH ?1 AND +rowid IN (SELECT value FROM json_each(?2))`

/** Units that hold one of the phrases, by their text: the best of those that may hold it, of each phrase in turn. */
function exactUnits(
  connection: Connection,
  { units, worth, lists, count }: Candidates,
  question: SearchQuestion,
  sessions: Sessions,
): readonly ExactRow[] {
  const asked = new Map(question.phrases.map((phrase) => [(phrase.all ?? phrase.words).join(" "), phrase]))
  asked.delete("")
  const phrases = [...asked.values()].slice(0, phrasesMax)
  const known = { listOf: (word: string) => lists.get(quoted(word)), unitCount: count, asked: new Map() }
  const holding = phrases.map(({ words }) => {
    const found = mayHoldPhrase(connection, words.slice(0, wordsMax), known, comparedMax)
    return found === null ? units : bestFirst(worth, found)
  })
  const rows = mayBeFound(connection, inTurn(holding), question, sessions, comparedMax)
  const exact: ExactRow[] = []
  for (const [at, said] of readUnitTexts(connection, rows)) {
    const row = rows[at]
    if (row !== undefined && holdsAny(said.text, phrases)) exact.push({ ...row, said })
  }
  return exact
}

/** The first of each list, then the second of each, none twice. */
function inTurn(lists: readonly (readonly number[])[]): readonly number[] {
  const [only] = lists
  if (lists.length === 1 && only !== undefined) return only
  const all = new Set<number>()
  for (let at = 0; lists.some(({ length }) => at < length); at++)
    for (const list of lists) if (at < list.length) all.add(list[at] ?? 0)
  return [...all]
}

type Sessions = Map<number, SessionId | null>

/** The first of these units that the question does not leave out. `sessions` remembers which may be searched. */
function mayBeFound(
  connection: Connection,
  units: readonly number[],
  question: SearchQuestion,
  sessions: Sessions,
  limit: number,
): readonly Row[] {
  const { unless } = question
  const isSeen = (id: SessionId, seq: number): boolean =>
    unless?.session === id && isShown(seq, unless.shown) && unless.dropped?.has(seq) !== true
  const rows: Row[] = []
  for (let from = 0, size = limit; from < units.length; from += size, size *= 2) {
    const some = connection.get<{ rows: string }>(unitsSql, JSON.stringify(units.slice(from, from + size)))
    const columns = JSON.parse(some?.rows ?? "[]") as UnitColumns[]
    openSessions(
      connection,
      columns.map(([, session]) => session),
      question,
      sessions,
    )
    for (const [unit, session, seq, idx, message_seq, author] of columns) {
      const id = sessions.get(session) ?? null
      if (id === null || isSeen(id, message_seq)) continue
      if (rows.push({ unit, session, id, seq, idx, message_seq, author }) === limit) return rows
    }
  }
  return rows
}

/** As `unitsSql` lists them. */
type UnitColumns = readonly [
  unit: number,
  session: number,
  seq: number,
  idx: number,
  messageSeq: number,
  author: UnitAuthor,
]

/** Learns which of these Sessions may be searched: their ids, and null for the others. */
function openSessions(
  connection: Connection,
  keys: readonly number[],
  { projectRoot, session }: SearchQuestion,
  sessions: Sessions,
): void {
  const unknown = [...new Set(keys)].filter((key) => !sessions.has(key))
  if (unknown.length === 0) return
  for (const key of unknown) sessions.set(key, null)
  const roots = projectRoot === null ? null : JSON.stringify(projectRoots(connection, projectRoot))
  const asked = [JSON.stringify(unknown), roots, session ?? null] as const
  for (const { key, id } of connection.all<{ key: number; id: SessionId }>(sessionsSql, ...asked))
    sessions.set(key, id)
}

/** How near units are to the meaning of the question. */
function nearUnits(
  connection: Connection,
  question: SearchQuestion,
  meaning: QuestionMeaning,
  sessions: Sessions,
): ReadonlyMap<number, Near> {
  const near = nearestUnits(connection, meaning, (keys) => {
    openSessions(connection, keys, question, sessions)
    return keys.map((key) => (sessions.get(key) ?? null) !== null)
  })
  return new Map(near.map((found) => [found.unit, found]))
}

/** What was taken out of a conversation is not found. `CROSS JOIN` keeps the order that is given; one text is read faster than many rows. */
const unitsSql = `SELECT json_group_array(json_array(unit.id, session, seq, idx, message_seq, author)) AS rows
  FROM json_each(?) AS given CROSS JOIN unit ON unit.id = given.value
  WHERE NOT EXISTS (SELECT 1 FROM quarantine
    WHERE quarantine.session = unit.session AND quarantine.message_seq = unit.message_seq)`
/** Jobs are never searched. */
const sessionsSql = `SELECT session.key, session.id FROM json_each(?1) AS given
  CROSS JOIN session ON session.key = given.value
  WHERE kind IN ('primary', 'child') AND (?3 IS NULL OR session.id = ?3)
    AND (?2 IS NULL OR ${projectOfSessionSql} IN (SELECT value FROM json_each(?2)))`

/** Hits whose unit before is looked at too: it may be what they answer to. */
const leadingMax = 30

/** The units in front of the best, where they do not match themselves. */
function withLeading(
  connection: Connection,
  rows: readonly ScoredRow[],
  question: SearchQuestion,
  sessions: Sessions,
): readonly ScoredRow[] {
  const known = new Set(rows.map(({ unit }) => unit))
  const best = JSON.stringify(rows.slice(0, leadingMax).map(({ unit }) => unit))
  const before = connection.all<{ before: number | null }>(beforeSql, best)
  const leading = new Set(
    before.flatMap(({ before: unit }) => (unit === null || known.has(unit) ? [] : [unit])),
  )
  const open = mayBeFound(connection, [...leading], question, sessions, leadingMax)
  return [...rows, ...open.map((row) => ({ ...row, score: 0, meaning: 0 }))]
}

const beforeSql = `SELECT (SELECT id FROM unit WHERE session = hit.session AND (seq, idx) < (hit.seq, hit.idx)
    ORDER BY seq DESC, idx DESC LIMIT 1) AS before
  FROM json_each(?) AS given CROSS JOIN unit AS hit ON hit.id = given.value`

function hitsOf(
  connection: Connection,
  rows: readonly ScoredRow[],
  isExact: ReadonlyMap<number, UnitSaid>,
): readonly UnitHit[] {
  const behind = unitsBehind(connection, rows)
  return rows.map(({ unit, id, seq, idx, message_seq: messageSeq, author, score, meaning }) => {
    const said = isExact.get(unit)
    return {
      unit,
      session: id,
      seq,
      idx,
      messageSeq,
      author,
      score,
      meaning,
      exact: said !== undefined,
      after: behind.get(unit)?.[0] ?? null,
      secondAfter: behind.get(unit)?.[1] ?? null,
      ...(said && { said }),
    }
  })
}
