/** Facts about a Session itself: what it is, and what anybody may change about it. */
import { Schema } from "effect"
import { BudgetChange } from "./budget.ts"
import { CallId, MessageId, SessionId } from "../id.ts"
import { Location } from "../location.ts"
import { Accuracy, ModelRef } from "../model.ts"
import { Reason } from "../turn.ts"
import { count, fact } from "./fact.ts"

/** DR5: what a restart does with unfinished work. */
export const RestartPolicy = Schema.Literals(["settle", "continue"])
export type RestartPolicy = typeof RestartPolicy.Type

/** A primary is somebody's, a child belongs to a call of its parent, a job is hidden work of the runtime. */
export const SessionKind = Schema.Literals(["primary", "child", "job"])
export type SessionKind = typeof SessionKind.Type

/** `call` is null for jobs. */
export const SessionParent = Schema.Struct({ session: SessionId, call: Schema.NullOr(CallId) })
export type SessionParent = typeof SessionParent.Type

/** Where the beginning of its log came from: another Session up to a sequence, or somebody else's records. */
export const SessionOrigin = Schema.Struct({
  kind: Schema.Literals(["fork", "import"]),
  source: Schema.String,
  seq: count,
  /** The message that a fork was asked to end with; absent where it took all that was settled. */
  message: Schema.optionalKey(MessageId),
})
export type SessionOrigin = typeof SessionOrigin.Type

/** PE4: whether somebody can answer. */
export const OnAsk = Schema.Literals(["wait", "deny", "allow", "fail"])
export type OnAsk = typeof OnAsk.Type

/** A rule without its effect, such as `write` or `bash(npm test)` (PE1). */
export const AllowRule = Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(1_100))
export type AllowRule = typeof AllowRule.Type

/** What a person says of the title stays, also that there is none (SS2). */
export const TitledBy = Schema.Literals(["person", "runtime"])
export type TitledBy = typeof TitledBy.Type

export const SessionCreated = fact("session.created", {
  kind: SessionKind,
  parent: Schema.NullOr(SessionParent),
  origin: Schema.NullOr(SessionOrigin),
  location: Location,
  title: Schema.NullOr(Schema.String),
  titledBy: TitledBy,
  model: Schema.NullOr(ModelRef),
  agent: Schema.String,
  policy: RestartPolicy,
  onAsk: OnAsk,
  /** What its person allows without asking; nothing where it is absent. */
  allow: Schema.optionalKey(Schema.Array(AllowRule)),
  budget: Schema.optionalKey(BudgetChange),
  harness: Schema.String,
})

export const Waiting = Schema.Struct({ until: count, reason: Reason })
export type Waiting = typeof Waiting.Type

/** Only the fields that change are present. `blocked` and `waiting` say why nothing moves. */
export const SessionUpdated = fact("session.updated", {
  title: Schema.optionalKey(Schema.NullOr(Schema.String)),
  titledBy: Schema.optionalKey(TitledBy),
  model: Schema.optionalKey(ModelRef),
  agent: Schema.optionalKey(Schema.String),
  policy: Schema.optionalKey(RestartPolicy),
  onAsk: Schema.optionalKey(OnAsk),
  allow: Schema.optionalKey(Schema.Array(AllowRule)),
  budget: Schema.optionalKey(BudgetChange),
  archived: Schema.optionalKey(Schema.Boolean),
  blocked: Schema.optionalKey(Schema.NullOr(Reason)),
  waiting: Schema.optionalKey(Schema.NullOr(Waiting)),
  /** Another model takes over, for as long as the failed one rests (CA3). */
  fallback: Schema.optionalKey(
    Schema.Struct({
      from: ModelRef,
      to: ModelRef,
      until: count,
      reason: Reason,
      /** Whether the one that takes over may cost money: it is not on this machine. */
      paid: Schema.optionalKey(Schema.Boolean),
    }),
  ),
})

/** EP9: the Epoch ends; the destination initializes a Baseline of its own. */
export const SessionMoved = fact("session.moved", { location: Location })

/** DR3: from this commit no call starts and no request is sent until the next input or resume. */
export const SessionInterrupted = fact("session.interrupted", {})

/** Hidden work that ended: its Session is gone, its price stays with the parent. */
export const JobSettled = fact("job.settled", {
  job: SessionId,
  kind: Schema.Literals(["historian", "editor", "dreamer", "sidekick", "title"]),
  outcome: Schema.Literals(["done", "failed", "aborted"]),
  reason: Schema.NullOr(Reason),
  usage: Schema.Struct({ input: count, output: count, cacheRead: count, cacheWrite: count }),
  /** Of usage and cost; exact unless said: a job that was cut off may have used more. */
  accuracy: Schema.optionalKey(Accuracy),
  cost: Schema.NullOr(Schema.Finite),
  /** Dollars that are known of, where the cost is not; absent where there are none. */
  costKnown: Schema.optionalKey(Schema.Finite),
})
