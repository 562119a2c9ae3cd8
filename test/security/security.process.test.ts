/**
 * Attacks by table, each through a Session of the real host whose user allows much. None slips through:
 * nothing that was not to be touched is, no secret reaches the model, and each refusal says why.
 */
import { expect, test } from "vitest"
import type { Attack } from "./attacks/attack.ts"
import { pathAttacks } from "./attacks/paths.ts"
import { shellAttacks } from "./attacks/shell.ts"
import { openPlace, type Outcome, secret } from "./place.ts"

const families: Readonly<Record<string, readonly Attack[]>> = {
  "paths and links": pathAttacks,
  "commands behind what is allowed": shellAttacks,
}

test.each(Object.entries(families))("[PE1 PE2] %s: nothing slips through, and each refusal says why", async (_, attacks) => {
  await using place = await openPlace()
  const ends = await place.attack(attacks.map(({ call }) => call))
  expect(attacks.flatMap((attack, at) => slipOf(attack, ends[at] as Outcome))).toEqual([])
  expect(await place.harm()).toEqual([])
})

/** What is wrong with the end of an attack. */
function slipOf({ name, says }: Attack, { state, output }: Outcome): readonly string[] {
  if (state !== "declined" && state !== "failed") return [`${name} was done: ${output}`]
  if (output.includes(secret)) return [`${name} tells the secret: ${output}`]
  return says.test(output) ? [] : [`${name} does not say why (${String(says)}): ${output}`]
}
