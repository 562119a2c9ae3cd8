/** Asks as callers see them: what a Session waits for somebody to answer, and the answer (PE5). */
import { Schema } from "effect"
import { AskAnswered, AskRaised } from "../fact/ask.ts"
import { AskId, CallId, SessionId } from "../id.ts"
import { Json } from "../json.ts"

const { question, resources, rule, agent, options } = AskRaised.fields

export const Ask = Schema.Struct({
  id: AskId,
  session: SessionId,
  raisedAt: Schema.Int,
  /** Its place in the log of the Session: of those of one moment, the lower came first. */
  raisedSeq: Schema.optionalKey(Schema.Int),
  /** A call needs permission, a tool of the model has a question, or something else of the runtime waits. */
  kind: Schema.Literals(["permission", "question", "other"]),
  question,
  resources,
  rule,
  agent,
  /** Rules that an answer may allow for longer than this once, or the choices of a question. */
  options,
  /** The call that waits, with its whole input; null where no call does. */
  call: Schema.NullOr(Schema.Struct({ id: CallId, name: Schema.String, input: Json })),
})
export type Ask = typeof Ask.Type

export const AskDecision = AskAnswered.fields.decision
export type AskDecision = typeof AskDecision.Type

export const AskScope = AskAnswered.fields.scope
export type AskScope = typeof AskScope.Type
