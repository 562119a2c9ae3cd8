/**
 * Pages: how every list is read, over the network and embedded (PG1, PG4).
 *
 *   start         limit and the list's own query  ──▶ items, next, previous
 *   continuation  cursor alone                    ──▶ items, next, previous
 *
 * A cursor is opaque: it carries query, order, size, direction and place, and only the instance
 * that made it can read it. Null means that the list ends there.
 */
import { Schema } from "effect"

export const pageSizeDefault = 50
export const pageSizeMax = 200

export const Cursor = Schema.String.pipe(Schema.brand("Cursor"))
export type Cursor = typeof Cursor.Type

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly next: Cursor | null
  readonly previous: Cursor | null
}

export const Page = <Item extends Schema.Top>(item: Item) =>
  Schema.Struct({
    items: Schema.Array(item),
    next: Schema.NullOr(Cursor),
    previous: Schema.NullOr(Cursor),
  })

export const MessageOrder = Schema.Literals(["oldest-first", "newest-first"])
export type MessageOrder = typeof MessageOrder.Type
