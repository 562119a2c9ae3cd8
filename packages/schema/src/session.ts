/** Session: the durable record of one conversation and its work in a Location. */
import { Schema } from "effect"
import { Budget } from "./fact/budget.ts"
import { Seq, SessionId } from "./id.ts"
import { AllowRule, OnAsk, RestartPolicy, SessionKind, SessionOrigin, SessionParent } from "./fact/session.ts"
import { Location } from "./location.ts"
import { Accuracy, ModelRef, Usage } from "./model.ts"
import { Reason } from "./turn.ts"

export { AllowRule, OnAsk, RestartPolicy } from "./fact/session.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Derived, never stored: nothing is "running" without a live lease (DR4). */
export const SessionStatus = Schema.Struct({
  state: Schema.Literals(["idle", "running", "waiting", "asking", "blocked", "interrupted", "failed"]),
  /** PR8: the newest promoted input has no turn that settled done, and no ask is open. */
  owing: Schema.Boolean,
  /** Input that a turn would take up; a notice that wakes nobody is none. */
  pending: count,
  /** Asks that nobody has answered (PE3). */
  asks: count,
  reason: Schema.NullOr(Reason),
  waitingUntil: Schema.NullOr(count),
})
export type SessionStatus = typeof SessionStatus.Type

export const SessionInfo = Schema.Struct({
  id: SessionId,
  kind: SessionKind,
  parent: Schema.NullOr(SessionParent),
  origin: Schema.NullOr(SessionOrigin),
  location: Location,
  title: Schema.NullOr(Schema.String),
  model: Schema.NullOr(ModelRef),
  agent: Schema.String,
  policy: RestartPolicy,
  onAsk: OnAsk,
  /** Tools beyond `read` that were allowed it, for a run that names none. */
  allow: Schema.Array(AllowRule),
  budget: Budget,
  archived: Schema.Boolean,
  createdAt: count,
  updatedAt: count,
  seq: Seq,
  turns: count,
  /** What its turns used in all. A fork counts its own, not those that it copied. */
  usage: Usage,
  accuracy: Accuracy,
  /** Dollars; null once the cost of a turn is not known. */
  cost: Schema.NullOr(Schema.Finite),
  /** Dollars that are known of: the cost, or the least that it can be. */
  costKnown: Schema.Finite,
  status: SessionStatus,
})
export type SessionInfo = typeof SessionInfo.Type
