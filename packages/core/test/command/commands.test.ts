/** Commands: named prompts, filled with what is typed behind them. */
import { Effect, Result } from "effect"
import { describe, expect, test } from "vitest"
import { expandCommand, plainText, readCall } from "../../src/command/expand.ts"
import { loadCommands } from "../../src/command/load.ts"
import { readMentions } from "../../src/command/mentions.ts"
import { nodeInstructionFiles } from "../../src/instructions/index.ts"
import { problemText } from "../../src/markdown/files.ts"
import { type FilePlace, makeFilePlace } from "../agent/place.ts"

const expand = (template: string, typed: string) =>
  expandCommand(new Map([["review", { name: "review", template }]]), readCall(typed)!)

const load = async ({ configDirectory, project }: FilePlace) => {
  const { commands, problems } = await Effect.runPromise(
    loadCommands({ configDirectory, disableProject: false }, project, nodeInstructionFiles),
  )
  return { commands, problems: problems.map(problemText) }
}

describe("[TL6] a command", () => {
  test.each<readonly [string, string, string]>([
    ["Review $ARGUMENTS now.", "/review src/ test/", "Review src/ test/ now."],
    ["Compare $1 with $2.", `/review "a b" c d`, "Compare a b with c."],
    ["Compare $1 with $2.", "/review a", "Compare a with ."],
    ["Costs $10, $ARGUMENTS_LEFT, $0.", "/review a", "Costs $10, $ARGUMENTS_LEFT, $0."],
    ["Echo $ARGUMENTS.", "/review $1 $ARGUMENTS", "Echo $1 $ARGUMENTS."],
    ["Twice $1 $1.", "/review $&", "Twice $& $&."],
  ])("%j called by %s", (template, typed, text) =>
    expect(expand(template, typed)).toEqual(Result.succeed({ text, calls: [] })),
  )

  test("brings what stands in !`…` as calls; what is typed behind it adds none", () => {
    const literal = expand("!`echo $1`", "/review '$2' b")
    expect(Result.getOrThrow(literal).calls).toEqual([{ tool: "bash", argument: "echo $2" }])
    const expanded = expand("State: !`git log $1`. Ask $ARGUMENTS.", "/review 'main !`rm x`'")
    expect(expanded).toEqual(
      Result.succeed({
        text: "State: `git log main !`rm x`` (run; its result follows). Ask 'main !`rm x`'.",
        calls: [{ tool: "bash", argument: "git log main !`rm x`" }],
      }),
    )
  })

  test("that is not there is told with the nearest, and how to begin with a slash", () => {
    const refused = expand("x", "/reviw src")
    expect(Result.isFailure(refused) && refused.failure).toBe(
      "There is no command /reviw. Did you mean /review? To begin a prompt with a slash, write two.",
    )
  })
})

test("[TL6] a path or two slashes call no command", () => {
  expect(readCall("/usr/bin is broken")).toBeNull()
  expect(readCall("// comment")).toBeNull()
  expect(readCall("review")).toBeNull()
  expect(plainText("//review this")).toBe("/review this")
})

test("[TL6] commands come from the user, the project and other programs; the user's stay", async () => {
  await using place = await makeFilePlace()
  await place.write("config/commands/mine.md", "Mine.\n")
  await place.write("project/.holdfast/commands/review.md", "---\ndescription: Reviews.\n---\nReview $1.\n")
  await place.write(
    "project/.claude/commands/fix.md",
    "---\nallowed-tools: Bash\nmodel: opus\n---\nFix\u001b[2J.\n",
  )
  const theirs = await place.write("project/.holdfast/commands/mine.md", "Theirs.\n")
  await place.write("outside.md", "Out.\n")
  await place.link("project/.holdfast/commands/out.md", `${place.root}/outside.md`)
  const { commands, problems } = await load(place)
  expect([...commands.values()]).toEqual([
    { name: "mine", template: "Mine." },
    { name: "review", template: "Review $1." },
    { name: "fix", template: "Fix\\u{1b}[2J." },
  ])
  expect(problems).toEqual([
    expect.stringContaining("out.md: It leads out of the project") as string,
    `${theirs}: There is a command /mine already, which stays. Give this one another name.`,
  ])
})

test("[TL6] files and directories that a text mentions are read with it; what is not there is a word", async () => {
  await using place = await makeFilePlace()
  const { root } = place
  for (const path of ["a.ts", "docs/b.md", "odd."]) await place.write(path, "x")
  const mentioned = async (text: string) =>
    (await readMentions(text, root)).map(({ tool, argument }) => `${tool} ${argument.slice(root.length)}`)
  expect(await mentioned("See @a.ts, (@docs/b.md) and @docs/ and @odd. Again @a.ts")).toEqual([
    "read /a.ts",
    "read /docs/b.md",
    "read /docs",
    "read /odd.",
  ])
  expect(await mentioned("Ask @someone, me@a.ts or https://x.test/@a.ts, `@a.ts`")).toEqual([])
  expect(await mentioned(Array.from({ length: 30 }, (_, at) => `@${"./".repeat(at)}a.ts`).join(" "))).toEqual(
    ["read /a.ts"],
  )
})
