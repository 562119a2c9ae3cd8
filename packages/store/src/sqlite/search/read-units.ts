/**
 * The texts of units as they were recorded (TG4). Rows are read as they are written, without their
 * schema, which the writer does without: what has another shape has no text.
 */
import type { Fact } from "@holdfast/schema/event"
import type { UnitPlace, UnitRecord } from "../../search/units.ts"
import { type Connection, inSnapshot } from "../connection.ts"
import { findSession } from "../session-row.ts"
import { searchedUnits } from "./units.ts"

export function readUnits(connection: Connection, places: readonly UnitPlace[]): readonly UnitRecord[] {
  return inSnapshot(connection, () => {
    const keys = new Map<string, number | null>()
    return places.flatMap((place) => {
      const { session, seq, idx } = place
      if (!keys.has(session)) keys.set(session, findSession(connection, session)?.key ?? null)
      const key = keys.get(session) ?? null
      const found = key === null ? null : readUnitText(connection, key, seq, idx)
      return found === null ? [] : [{ ...place, ...found }]
    })
  })
}

/** Null where its record cannot be read. */
export function readUnitText(
  connection: Connection,
  session: number,
  seq: number,
  idx: number,
): Pick<UnitRecord, "text" | "time" | "range"> | null {
  const row = connection.get<EventRow>(eventSql, session, seq)
  if (row === undefined) return null
  const units = unitsIn(row, (fact) =>
    searchedUnits(fact, {
      calledTool: () => null,
      body: () => (fact.type === "prompt.promoted" ? bodyText(connection, session, fact.bodySeq) : null),
    }),
  )
  const unit = units.find((one) => one.idx === idx)
  if (unit === undefined) return null
  return { text: unit.text, time: row.time, ...(unit.range && { range: unit.range }) }
}

interface EventRow {
  readonly type: string
  readonly time: number
  readonly data: string
}
const eventSql = "SELECT type, time, data FROM event WHERE session = ? AND seq = ?"

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

export const bodyText = (connection: Connection, session: number, seq: number): string | null =>
  connection.get<{ text: string | null }>(
    "SELECT json_extract(data, '$.text') AS text FROM event WHERE session = ? AND seq = ?",
    session,
    seq,
  )?.text ?? null
