/** How a durable fact is declared: its name, `noun.past`, and its fields. */
import { Schema } from "effect"

export const fact = <T extends string, F extends Schema.Struct.Fields>(type: T, fields: F) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

export const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Words of the runtime that stand beside what somebody said, never in it (PR7, ND1). */
export const SyntheticPart = Schema.Struct({
  kind: Schema.Literals(["hint", "nudge", "note", "finding", "gap"]),
  text: Schema.String,
})
export type SyntheticPart = typeof SyntheticPart.Type
