/**
 * Pages: how every list is read (PG1, PG4).
 *
 *   start         limit and the list's own query  ──▶ items, next, previous
 *   continuation  cursor alone                    ──▶ items, next, previous
 *
 * A cursor is opaque: it carries query, size, direction and place, and only the server that made
 * it can read it. Null means that the list ends there.
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

/** A whole number in a query, of digits only; what JavaScript also takes for a number is refused. */
export const Whole = Schema.String.check(
  Schema.isPattern(/^[0-9]{1,15}$/, { expected: "a whole number" }),
).pipe(Schema.decodeTo(Schema.FiniteFromString))

/** The query of a list: how it starts, or the cursor that continues it, never both. */
export const pageQuery = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct({
    cursor: Schema.optionalKey(Cursor),
    limit: Schema.optionalKey(Whole.check(Schema.isBetween({ minimum: 1, maximum: pageSizeMax }))),
    ...fields,
  }).check(
    Schema.makeFilter((query) => !("cursor" in query) || Object.keys(query).length === 1, {
      expected: "a cursor alone, without limit or anything else",
    }),
  )
