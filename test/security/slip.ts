/** What is wrong with the end of an attack: it was done, it told a secret, or nobody said why it was not. */
import type { Attack } from "./attacks/attack.ts"
import { type Outcome, secret } from "./place.ts"

export function slipOf({ name, says }: Attack, end: Outcome | undefined): readonly string[] {
  if (end === undefined) return [`${name} has no end`]
  const { state, output } = end
  if (state !== "declined" && state !== "failed") return [`${name} was done: ${state} ${output}`]
  if (output.includes(secret)) return [`${name} tells the secret: ${output}`]
  return says.test(output) ? [] : [`${name} does not say why (${String(says)}): ${output}`]
}
