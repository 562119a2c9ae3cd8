/**
 * The texts of units as they were recorded (TG4). Rows are read as they are written, without their
 * schema, which the writer does without: what has another shape has no text.
 */
import type { Fact } from "@holdfast/schema/event"
import type { UnitPlace, UnitRecord } from "../../search/units.ts"
import { type Connection, inSnapshot } from "../connection.ts"
import { findSession } from "../session-row.ts"
import { searchedUnits, type UnitText as SearchedUnit } from "./units.ts"

export function readUnits(connection: Connection, places: readonly UnitPlace[]): readonly UnitRecord[] {
  return inSnapshot(connection, () => {
    const keys = new Map<string, number | null>()
    for (const { session } of places)
      if (!keys.has(session)) keys.set(session, findSession(connection, session)?.key ?? null)
    const known = places.flatMap((place) => {
      const session = keys.get(place.session) ?? null
      return session === null ? [] : [{ place, session, seq: place.seq, idx: place.idx }]
    })
    const texts = readUnitTexts(connection, known)
    return known.flatMap(({ place }, at) => {
      const found = texts.get(at)
      return found === undefined ? [] : [{ ...place, ...found }]
    })
  })
}

interface StoredPlace {
  readonly session: number
  readonly seq: number
  readonly idx: number
}
type UnitText = Pick<UnitRecord, "text" | "time" | "range">

/** Null where its record cannot be read. */
export const readUnitText = (
  connection: Connection,
  session: number,
  seq: number,
  idx: number,
): UnitText | null => readUnitTexts(connection, [{ session, seq, idx }]).get(0) ?? null

/** Texts by the index of their place; those whose record cannot be read are left out. A record is read once for all of its units. */
export function readUnitTexts(
  connection: Connection,
  places: readonly StoredPlace[],
): ReadonlyMap<number, UnitText> {
  const byEvent = Map.groupBy(places.entries(), ([, { session, seq }]) => `[${session},${seq}]`)
  const asked = [...byEvent.values()]
  const texts = new Map<number, UnitText>()
  for (const row of connection.all<EventRow & { readonly at: number }>(
    eventsSql,
    `[${[...byEvent.keys()].join()}]`,
  )) {
    const wanted = asked[row.at] ?? []
    const session = wanted[0]?.[1].session ?? 0
    const units = unitsIn(row, (fact) => storedUnits(connection, session, fact))
    for (const [at, { idx }] of wanted) {
      const unit = units[idx]
      if (unit !== undefined)
        texts.set(at, { text: unit.text, time: row.time, ...(unit.range && { range: unit.range }) })
    }
  }
  return texts
}

/** Of a fact whose units were chosen when it was indexed. */
export const storedUnits = (connection: Connection, session: number, fact: Fact): readonly SearchedUnit[] =>
  searchedUnits(fact, {
    calledTool: () => null,
    body: () => (fact.type === "prompt.promoted" ? bodyText(connection, session, fact.bodySeq) : null),
  })

interface EventRow {
  readonly type: string
  readonly time: number
  readonly data: string
}
const eventsSql = `SELECT given.key AS at, event.type, event.time, event.data FROM json_each(?) AS given
  CROSS JOIN event ON event.session = given.value ->> 0 AND event.seq = given.value ->> 1`

/** What a row gives whose data are those of its type; nothing where they are not. */
export function unitsIn<A>(
  { type, data }: Omit<EventRow, "time">,
  take: (fact: Fact) => readonly A[],
): readonly A[] {
  try {
    return take({ type, ...(JSON.parse(data) as object) } as Fact)
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof TypeError) return []
    throw cause
  }
}

/** Null where the record is gone or damaged. */
export const bodyText = (connection: Connection, session: number, seq: number): string | null =>
  connection.get<{ text: string | null }>(bodySql, session, seq)?.text ?? null

const bodySql = `SELECT CASE WHEN json_valid(data) THEN json_extract(data, '$.text') END AS text
  FROM event WHERE session = ? AND seq = ?`
