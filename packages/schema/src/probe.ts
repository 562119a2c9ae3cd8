/** What became of a request that only asked whether the provider takes it (LL7). */
import { Schema } from "effect"
import { Reason } from "./turn.ts"

export const ProbeResult = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("taken") }),
  /** For what is in it: without other messages it may be taken. */
  Schema.Struct({ kind: Schema.Literal("refused"), reason: Reason }),
  /** For another reason, or it was not sent: this says nothing about the messages. */
  Schema.Struct({ kind: Schema.Literal("failed"), reason: Reason }),
])
export type ProbeResult = typeof ProbeResult.Type
