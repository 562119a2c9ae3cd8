/**
 * One durable event as a row.
 *
 * The checksum covers everything the row says, the Session's id included, so that a flipped bit,
 * a row moved to another Session or a changed sequence is found when it is read (ST3).
 */
import { crc32 } from "node:zlib"
import type { Event } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"

export interface EventColumns {
  readonly seq: number
  readonly type: string
  readonly version: number
  readonly time: number
  readonly data: string
  readonly checksum: number
}

export function encodeEvent(event: Event): EventColumns {
  const { type, ...rest } = event.fact
  const columns = {
    seq: event.seq,
    type,
    version: event.version,
    time: event.time,
    data: JSON.stringify(rest),
  }
  return { ...columns, checksum: checksumOf(event.session, columns) }
}

export const checksumOf = (session: SessionId, row: Omit<EventColumns, "checksum">): number =>
  crc32(`${session} ${row.seq} ${row.type} ${row.version} ${row.time} ${row.data}`)
