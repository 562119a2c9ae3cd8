/** An attack: a call that must come to nothing, and the words by which the model is told why. */
import type { Call } from "../place.ts"

export interface Attack {
  readonly name: string
  readonly call: Call
  /** What the refusal says. */
  readonly says: RegExp
}

/** Declined because it would have to be asked for; what it would touch is named. */
export const asks = (touched: string): RegExp =>
  new RegExp(`needs a permission that nobody is there to give.*${touched}`, "s")

export const denied = (rule: string): RegExp => new RegExp(`This is not allowed:.*The rule "${rule}"`, "s")

export const shell = (command: string, says: RegExp, name = command): Attack => ({
  name: `bash: ${name}`,
  call: ["bash", { command }],
  says,
})
