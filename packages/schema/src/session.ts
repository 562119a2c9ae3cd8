/** Session: the durable record of one conversation and its work in a Location. */
import { Schema } from "effect"
import { Seq, SessionId } from "./id.ts"
import { Location } from "./location.ts"
import { ModelRef } from "./model.ts"
import { Reason } from "./turn.ts"

/** DR5: what a restart does with unfinished work. */
export const RestartPolicy = Schema.Literals(["settle", "continue"])
export type RestartPolicy = typeof RestartPolicy.Type

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Derived, never stored: nothing is "running" without a live lease (DR4). */
export const SessionStatus = Schema.Struct({
  state: Schema.Literals(["idle", "running", "waiting", "blocked", "interrupted", "failed"]),
  /** PR8: the newest promoted input has no turn that settled done. */
  owing: Schema.Boolean,
  pending: count,
  reason: Schema.NullOr(Reason),
  waitingUntil: Schema.NullOr(count),
})
export type SessionStatus = typeof SessionStatus.Type

export const SessionInfo = Schema.Struct({
  id: SessionId,
  location: Location,
  title: Schema.NullOr(Schema.String),
  model: Schema.NullOr(ModelRef),
  policy: RestartPolicy,
  createdAt: count,
  updatedAt: count,
  seq: Seq,
  turns: count,
  status: SessionStatus,
})
export type SessionInfo = typeof SessionInfo.Type
