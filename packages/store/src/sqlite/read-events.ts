/**
 * Reads of the log. Every row's checksum is verified; a bad row becomes Damage and is left out,
 * as is a hole in the sequence (ST3).
 */
import type { Event, FactOf, FactType } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { StoreRefused } from "../failure.ts"
import type { Damage, LogRecord } from "../port.ts"
import type { Connection } from "./connection.ts"
import type { Reading } from "./event-decode.ts"
import type { EventColumns } from "./event-row.ts"

/** The Session whose rows are being read, and what was found unreadable on the way. */
export interface Source {
  readonly connection: Connection
  readonly key: number
  readonly id: SessionId
  readonly damage: Damage[]
  /** By their schema, for whoever reads for others; the writer takes its own rows as they are. */
  readonly decode: (session: SessionId, columns: EventColumns) => Reading
}

const eventColumns = "seq, type, version, time, data, checksum"

export function readEvents(source: Source, after: number, limit: number): readonly Event[] {
  const rows = source.connection.all<EventColumns>(
    `SELECT ${eventColumns} FROM event WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?`,
    source.key,
    after,
    limit,
  )
  const events: Event[] = []
  let expected = after + 1
  for (const row of rows) {
    if (row.seq !== expected) report(source, expected, `no event between ${expected - 1} and ${row.seq}`)
    expected = row.seq + 1
    const event = soundEvent(source, row)
    if (event !== null) events.push(event)
  }
  return events
}

/** The log as it is stored. */
export function readRecords(
  { connection, key, id, decode }: Source,
  after: number,
  through: number,
  limit: number,
): readonly LogRecord[] {
  const rows = connection.all<EventColumns>(
    `SELECT ${eventColumns} FROM event WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
    key,
    after,
    through,
    limit,
  )
  if (rows.length === 0 && after < through) throw damagedAt(id, after + 1)
  return rows.map((row, index) => {
    const reading = decode(id, row)
    if (row.seq !== after + 1 + index || reading.kind !== "sound") throw damagedAt(id, after + 1 + index)
    return { ...reading.event, data: row.data }
  })
}

const damagedAt = (session: SessionId, seq: number): StoreRefused =>
  new StoreRefused("corrupt", `event ${seq} of ${session} is damaged or missing, and a copy would hide it`)

function soundEvent(source: Source, row: EventColumns): Event | null {
  const reading = source.decode(source.id, row)
  if (reading.kind === "sound") return reading.event
  report(source, row.seq, reading.problem)
  return null
}

/** The event at `seq` if it is sound and of one of these types, or of any where none is named. */
export function eventAt<T extends FactType>(
  source: Source,
  seq: number,
  ...types: readonly T[]
): (Event & { readonly fact: FactOf<T> }) | null {
  const row = source.connection.get<EventColumns>(
    `SELECT ${eventColumns} FROM event WHERE session = ? AND seq = ?`,
    source.key,
    seq,
  )
  if (row === undefined) {
    report(source, seq, "the event is missing")
    return null
  }
  const event = soundEvent(source, row)
  if (event === null) return null
  if (types.length === 0 || isOneOf(event, types)) return event as Event & { readonly fact: FactOf<T> }
  report(source, seq, `expected ${types.join(" or ")}, found ${event.fact.type}`)
  return null
}

const isOneOf = (event: Event, types: readonly FactType[]): boolean =>
  types.some((type) => type === event.fact.type)

function report(source: Source, seq: number, problem: string): void {
  if (source.damage.some((known) => known.seq === seq)) return
  source.damage.push({ session: source.id, seq, problem })
}
