/**
 * Cursors: a place in a list, sealed so that only this instance's own are taken back (PG1).
 *
 * The key comes from a secret of the instance, for a server its token: a caller whose token still
 * works can go on where it was, also after a restart, and nobody without it can make a cursor.
 * Nothing in a cursor is secret.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Schema } from "effect"
import { Cursor, MessageOrder, pageSizeMax } from "@holdfast/schema/page"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const ListName = Schema.Literals([
  "sessions",
  "active",
  "messages",
  "context",
  "inbox",
  "history",
  "turns",
  "verify",
  "receipts",
  "ptys",
  "asks",
  "locations",
  "providers",
  "models",
  "files",
  "found",
  "memories",
  "notes",
])
export type ListName = typeof ListName.Type

/** A place between two items: `next` lies behind the anchor, `previous` before it. */
export const Place = Schema.Struct({
  list: ListName,
  /** Null for the lists of the instance. */
  session: Schema.NullOr(Schema.String),
  size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: pageSizeMax })),
  /** The list's own query: the sequence it starts after, 0 where there is none. */
  after: count,
  system: Schema.Boolean,
  order: MessageOrder,
  archived: Schema.Boolean,
  /** What the list is of, where its query says it in texts: a directory, a path, a name. */
  of: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  direction: Schema.Literals(["next", "previous"]),
  anchor: Schema.Union([count, Schema.String]),
})
export type Place = typeof Place.Type

export interface Cursors {
  readonly seal: (place: Place) => Cursor
  /** Null for what this instance did not make. */
  readonly open: (cursor: string) => Place | null
}

export function makeCursors(secret: string): Cursors {
  const key = createHmac("sha256", secret).update("holdfast cursor").digest()
  const mac = (body: string): Buffer => createHmac("sha256", key).update(body).digest().subarray(0, macBytes)
  return {
    seal: (place) => {
      const body = Buffer.from(JSON.stringify(encodePlace(place))).toString("base64url")
      return Cursor.make(`${body}.${mac(body).toString("base64url")}`)
    },
    open: (cursor) => {
      const [body = "", seal = "", ...rest] = cursor.split(".")
      const given = Buffer.from(seal, "base64url")
      // Base64 has several spellings of the same bytes; only ours is a cursor.
      if (rest.length > 0 || given.length !== macBytes || given.toString("base64url") !== seal) return null
      if (!timingSafeEqual(given, mac(body))) return null
      const place = decodePlace(Buffer.from(body, "base64url").toString())
      return place._tag === "Some" ? place.value : null
    },
  }
}

const macBytes = 16
const encodePlace = Schema.encodeSync(Place)
// A sealed place of another version may not fit any more; it is then no cursor of ours.
const decodePlace = Schema.decodeUnknownOption(Schema.fromJsonString(Place))
