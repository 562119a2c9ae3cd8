/**
 * Attacks by table, each through a Session of the real host whose user allows much. None slips through:
 * nothing that was not to be touched is, no secret reaches the model, and each refusal says why.
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { addressAttacks } from "./attacks/addresses.ts"
import type { Attack } from "./attacks/attack.ts"
import { pathAttacks } from "./attacks/paths.ts"
import { shellAttacks } from "./attacks/shell.ts"
import { guardAttacks, lookingAttacks } from "./attacks/trusted.ts"
import { nameAttacks } from "./attacks/unicode.ts"
import { openPlace, type PlaceOptions, secret } from "./place.ts"
import { slipOf } from "./slip.ts"

interface Family {
  readonly attacks: readonly Attack[]
  readonly options?: PlaceOptions
}

const everything = { allow: ["*"] }

const families: Readonly<Record<string, Family>> = {
  "paths and links": { attacks: pathAttacks },
  "commands behind what is allowed": { attacks: shellAttacks },
  "what programs trust, with everything allowed": { attacks: guardAttacks, options: everything },
  "changes by plan": { attacks: lookingAttacks, options: { ...everything, agent: "plan" } },
  "changes by explore": { attacks: lookingAttacks, options: { ...everything, agent: "explore" } },
  "names that are not what they seem": { attacks: nameAttacks },
  "addresses that are not public": { attacks: addressAttacks, options: { allow: ["webfetch"] } },
}

let withstood = 0
afterAll(() => console.log(`figure: security: ${withstood} attacks by table, none slipped through`))

test.each(Object.entries(families))(
  "[PE1 PE2] %s: nothing slips through, and each refusal says why",
  async (_, { attacks, options }) => {
    await using place = await openPlace(options)
    const ends = await place.attack(attacks.map(({ call }) => call))
    expect(attacks.flatMap((attack, at) => slipOf(attack, ends[at]))).toEqual([])
    expect(await place.harm()).toEqual([])
    expect(place.sent().includes(secret)).toBe(false)
    withstood += attacks.length
  },
)

test("[PE1] what is allowed is done in the same place, so that a refusal means something", async () => {
  await using place = await openPlace()
  const ends = await place.attack([
    ["read", { path: "src/a.ts" }],
    ["write", { path: "src/b.ts", content: "b" }],
    ["bash", { command: "echo hello > src/c.txt; ls src" }],
    ["bash", { command: "cat src/a.ts | wc -l" }],
    ["grep", { pattern: "canary" }],
  ])
  expect(ends.map(({ state }) => state)).toEqual(["done", "done", "done", "done", "done"])
  expect(await readFile(join(place.project, "src/c.txt"), "utf8")).toBe("hello\n")
  expect(ends[4]?.output).toContain("left out")
  expect(place.sent().includes(secret)).toBe(false)
})
