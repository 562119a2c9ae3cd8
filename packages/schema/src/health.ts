/** Health of an instance: whether everything works, and if not, which part, why and since when (FA1). */
import { Schema } from "effect"

/** A part that fails while the rest goes on. */
export const Degradation = Schema.Struct({
  part: Schema.String,
  cause: Schema.String,
  /** When it was first seen, by the clock of the instance. */
  since: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
})
export type Degradation = typeof Degradation.Type

/** Parts have fixed names; more than this many are not told. */
export const degradationsMax = 32

export const Health = Schema.Struct({
  /** Nothing is degraded. */
  healthy: Schema.Boolean,
  /** Of Holdfast. */
  version: Schema.String,
  /** Version of the contract, as `major.minor` (EV1): a client of the same major can speak it. */
  contract: Schema.String,
  degraded: Schema.Array(Degradation).check(Schema.isMaxLength(degradationsMax)),
})
export type Health = typeof Health.Type
