/** What became of the newest input of a Session: the record that a headless run ends with. */
import { Schema } from "effect"
import { AskRaised } from "./fact/ask.ts"
import { CallId, PromptId, SessionId } from "./id.ts"
import { Accuracy, ModelRef, Usage } from "./model.ts"
import { Reason } from "./turn.ts"

export const RunStatus = Schema.Literals(["done", "failed", "asking", "blocked", "interrupted"])
export type RunStatus = typeof RunStatus.Type

const { resources, rule } = AskRaised.fields

/** A call that was declined because nobody could be asked (PE4). */
export const DeclinedCall = Schema.Struct({ call: CallId, name: Schema.String, resources, rule })
export type DeclinedCall = typeof DeclinedCall.Type

export const RunResult = Schema.Struct({
  status: RunStatus,
  reason: Schema.NullOr(Reason),
  session: SessionId,
  prompt: Schema.NullOr(PromptId),
  turns: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  text: Schema.String,
  usage: Usage,
  accuracy: Accuracy,
  cost: Schema.NullOr(Schema.Finite),
  model: Schema.NullOr(ModelRef),
  /** Absent where nothing was. */
  declined: Schema.optionalKey(Schema.Array(DeclinedCall)),
})
export type RunResult = typeof RunResult.Type
