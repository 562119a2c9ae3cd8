/** The query of a list: how it starts, or the cursor that continues it, never both (PG1). */
import { Schema, SchemaGetter } from "effect"
import { Cursor, pageSizeMax } from "@holdfast/schema/page"

/** A whole number in a query, of digits only; what JavaScript also takes for a number is refused. */
export const Whole = Schema.String.check(
  Schema.isPattern(/^[0-9]{1,15}$/, { expected: "a whole number" }),
).pipe(Schema.decodeTo(Schema.FiniteFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0))))

/** At least 1. */
export const wholeUpTo = (maximum: number) =>
  Whole.check(Schema.isBetween({ minimum: 1, maximum }, { expected: `a whole number from 1 to ${maximum}` }))

/** A yes or no in a query. */
export const Flag = Schema.Literals(["true", "false"]).pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((flag) => flag === "true"),
    encode: SchemaGetter.transform((flag) => (flag ? "true" : "false")),
  }),
)

export const pageQuery = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct({
    cursor: Schema.optionalKey(Cursor),
    limit: Schema.optionalKey(wholeUpTo(pageSizeMax)),
    ...fields,
  }).check(
    Schema.makeFilter((query) => !("cursor" in query) || Object.keys(query).length === 1, {
      expected: "a cursor alone, without limit or anything else",
    }),
  )
