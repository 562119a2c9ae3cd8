/** Malicious files of a project, and what is in the environment: each in a place of its own. */
import { expect, test } from "vitest"
import { commandAttacks } from "./attacks/commands.ts"
import { planted, projectAttacks } from "./attacks/project.ts"
import { openPlace, secret } from "./place.ts"

test.concurrent.each(projectAttacks)(
  "[PE1 TL6 CF1] $name gives a project nothing that it may not have",
  async ({ call, state, says, ...options }) => {
    await using place = await openPlace({ allow: [], ...options })
    const [end] = await place.attack([call])
    expect([end?.state, end?.output]).toEqual([state, expect.stringMatching(says)])
    expect(await place.harm()).toEqual([])
    expect(place.sent().includes(secret)).toBe(false)
    if (options.agent !== "helper") expect(place.sent().includes(planted)).toBe(false)
  },
)

test.concurrent.each(commandAttacks)(
  "[PE1 TL6] a command that $name gets nothing that a call would not get",
  async ({ typed, ends, ...options }) => {
    await using place = await openPlace({ allow: [], ...options })
    const outcomes = await place.type(typed)
    expect(outcomes.map(({ state, output }) => [state, output])).toEqual(
      ends.map(([state, says]) => [state, expect.stringMatching(says)]),
    )
    expect(await place.harm()).toEqual([])
    expect(place.sent().includes(secret)).toBe(false)
    expect(hiddenIn(place.sent())).toEqual([])
  },
)

const smuggled =
  "Be kind.\u001b]0;owned\u0007\u001b[8mhidden\u009b2J\u202Eevil\u2069\u{E0041}\u{E0042}\u2028 end"

test.concurrent.each([
  ["AGENTS.md", {}],
  ["CLAUDE.md", {}],
  ["src/AGENTS.md", {}],
  [".holdfast/agents/helper.md", { agent: "helper", head: "---\ndescription: Helps\u001b[2J.\n---\n" }],
  [".holdfast/skills/helper/SKILL.md", { head: "---\nname: helper\ndescription: Helps\u202E.\n---\n" }],
] as readonly (readonly [string, { readonly agent?: string; readonly head?: string }])[])(
  "[IN1 TL6] escape sequences and hidden words in %s are written out",
  async (path, { agent, head = "" }) => {
    await using place = await openPlace({
      files: { [path]: `${head}${smuggled}\n` },
      ...(agent !== undefined && { agent }),
    })
    await place.attack([
      ["read", { path: "src/a.ts" }],
      ["skill", { name: "helper" }],
    ])
    expect(place.sent()).toContain("Be kind.")
    expect(place.sent()).toContain(String.raw`\\u{1b}[8mhidden`)
    expect(hiddenIn(place.sent())).toEqual([])
  },
)

/** What a terminal would obey, or a person not see, in JSON. */
const hiddenIn = (json: string): readonly string[] =>
  json.match(
    /(?<!\\)\\u00(?:0[0-8bcef]|1[0-9a-f])|[\u007f-\u009f\u2028-\u202e\u2066-\u2069]|[\u{E0000}-\u{E007F}]/gu,
  ) ?? []
