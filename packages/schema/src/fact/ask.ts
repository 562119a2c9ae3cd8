/**
 * Facts about asking: a durable permission request or question (PE1, PE3, PE5).
 *
 *   raised ──▶ answered     by whoever answers first, from any process, without the lease
 *      └─────▶ withdrawn    by an interrupt or a move
 */
import { Schema } from "effect"
import { AskId, CallId, MessageId, TurnId } from "../id.ts"
import { Json } from "../json.ts"
import { fact } from "./fact.ts"

/** What would be touched, as the rules judge it. */
const AskedResource = Schema.Struct({ action: Schema.String, resource: Schema.String })

const subject = <K extends string, F extends Schema.Struct.Fields>(kind: K, fields: F) =>
  Schema.Struct({ kind: Schema.Literal(kind), ...fields })

/** What is asked about: a call of an answer, a request of the runtime, trust in content, a question of a server. */
const AskSubject = Schema.Union([
  subject("call", { turn: TurnId, message: MessageId, call: CallId }),
  subject("request", { name: Schema.String, detail: Json }),
  subject("trust", { path: Schema.String, hash: Schema.String }),
  subject("elicitation", { server: Schema.String, schema: Json }),
])

export const AskRaised = fact("ask.raised", {
  ask: AskId,
  subject: AskSubject,
  question: Schema.String,
  resources: Schema.Array(AskedResource),
  /** The rule that said ask; null where it was the default. */
  rule: Schema.NullOr(Schema.String),
  /** Of the turn that issued it (DR2). */
  agent: Schema.String,
  options: Schema.Array(Schema.String),
})
export type AskRaised = typeof AskRaised.Type

export const AskAnswered = fact("ask.answered", {
  ask: AskId,
  decision: Schema.Literals(["allow", "decline", "answer"]),
  scope: Schema.Literals(["once", "session", "project"]),
  /** A correction, or the answer to a question. */
  text: Schema.NullOr(Schema.String),
  /** What is allowed from now on, where the scope is more than this once (PE1). */
  approves: Schema.optionalKey(
    Schema.Struct({
      /** Exactly these. */
      resources: Schema.Array(AskedResource),
      /** What the person wrote, such as `write(src/**)`. */
      rules: Schema.Array(Schema.String),
    }),
  ),
  /** A person, or what the Session declared for the case that nobody can answer (PE4). */
  by: Schema.Literals(["person", "on-ask"]),
})
export type AskAnswered = typeof AskAnswered.Type
export type Approved = NonNullable<AskAnswered["approves"]>

export const AskWithdrawn = fact("ask.withdrawn", {
  ask: AskId,
  cause: Schema.Literals(["interrupted", "moved", "declined"]),
})
