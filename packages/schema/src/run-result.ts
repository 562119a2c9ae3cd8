/** What became of the newest input of a Session: the record that a headless run ends with. */
import { Schema } from "effect"
import { PromptId, SessionId } from "./id.ts"
import { Accuracy, ModelRef, Usage } from "./model.ts"
import { Reason } from "./turn.ts"

export const RunStatus = Schema.Literals(["done", "failed", "asking", "blocked", "interrupted"])
export type RunStatus = typeof RunStatus.Type

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
})
export type RunResult = typeof RunResult.Type
