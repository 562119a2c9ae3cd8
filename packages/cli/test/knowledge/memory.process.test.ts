/** What `memory`, `note`, `dream`, `embed` and `search` say to people, and their exit codes. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { makePlace, type Place } from "../place.ts"
import { makeServedPlace } from "./served.ts"

let place: Place
beforeAll(async () => {
  place = await makeServedPlace()
})
afterAll(() => place[Symbol.asyncDispose]())

const said = async (...args: readonly string[]) => {
  const { code, out, err } = await place.call(args)
  return { code, text: `${out}${err}`.trimEnd() }
}
const record = async (...args: readonly string[]) => (await place.call([...args, "--json"])).record()

test("[MM1] memory: written, said again, changed, merged, archived and brought back, each told in a line", async () => {
  for (const [args, text] of [
    [["add", "We use tabs."], "Known as m1 (PROJECT_RULES): We use tabs."],
    [["add", "we use tabs."], "Known as m1 (PROJECT_RULES, said 2 times): We use tabs."],
    [
      ["add", "The port is 4000.", "--category", "CONFIG_VALUES"],
      "Known as m3 (CONFIG_VALUES): The port is 4000.",
    ],
    [["edit", "m3", "The port is 5000."], "Changed m3 (CONFIG_VALUES): The port is 5000."],
    [
      ["merge", "m1", "m3", "Tabs, and port 5000.", "--category", "PROJECT_RULES"],
      "Merged into m5 (PROJECT_RULES, in place of m1, m3): Tabs, and port 5000.",
    ],
    [["archive", "m5", "--reason", "Two things."], "Archived m5 (PROJECT_RULES): Tabs, and port 5000."],
    [["restore", "m3"], "Restored m3 (CONFIG_VALUES): The port is 5000."],
  ] as const)
    expect(await said("memory", ...args)).toEqual({ code: 0, text })
  expect((await said("memory")).text).toMatch(
    /^ID .*\nm3 +CONFIG_VALUES +active +person .*The port is 5000\.$/,
  )
  expect((await said("memory", "show", "m5")).text.replaceAll(/(?:\d+ \w+ ago|just now)/g, "AGO"))
    .toBe(`Tabs, and port 5000.

m5 · PROJECT_RULES · archived
said 3 times, found by searches of models 0 times
takes the place of m1, m3
archived: Two things.

AGO: merged by a person (from m1, m3)
  outside of any Session
AGO: archived by a person: Two things.
  outside of any Session`)
  const { text } = await said("memory", "show", "m3")
  for (const told of [
    "written by a person: The port is 4000.\n",
    "changed by a person: The port is 5000.\n",
    "superseded by a person (by m5)",
  ])
    expect(text).toContain(told)
  expect((await said("memory", "show", "m1")).text).toContain("said again by a person\n")
  expect((await said("memory", "export")).text).toContain("The port is 5000.")
})

test("[MM1] what takes the place of a memory has its category unless another is named", async () => {
  const category = async (...args: readonly string[]) =>
    ((await record("memory", "add", ...args, "--dir", "../categories")) as { category: string }).category
  await place.write("categories/README.md", "")
  expect(await category("The log level is info.", "--category", "CONFIG_VALUES")).toBe("CONFIG_VALUES")
  expect(await category("The log level is debug.")).toBe("CONFIG_VALUES")
  expect(await category("Logs are kept.", "--replaces", "m2")).toBe("CONFIG_VALUES")
  expect(await category("Use tabs.")).toBe("PROJECT_RULES")
  expect(await category("Never use tabs.", "--category", "NAMING")).toBe("NAMING")
})

test("[MM1] a merge of a memory with itself is refused, and says what it needs", async () => {
  expect((await said("memory", "merge", "m1", "m1", "x")).text).toContain(
    "Name two different memories or more",
  )
})

test("[MM1] a directory is that of the command: what is known of one is not known in another", async () => {
  await place.write("other/README.md", "# Other\n")
  expect((await said("memory", "add", "Only here.", "--dir", "../other")).text).toContain("m1 ")
  expect((await said("memory", "--dir", "../other")).text).toContain("Only here.")
  expect((await said("memory")).text).not.toContain("Only here.")
})

test("[MM1] an expiry is taken away again, and what was hidden or is over is told", async () => {
  const { id } = (await record("memory", "add", "The fair is near.", "--expires", "1d")) as { id: string }
  expect(await record("memory", "edit", id, "--expires", "never")).toMatchObject({ expiresAt: null })
  expect((await said("memory", "show", id)).text).toMatch(/changed by a person, it expires no more\n/)
  const hidden = await said("memory", "add", "The pin code is 4711.")
  expect(hidden.text).toMatch(/⟦secret:.*\nWhat looks like a secret was hidden: memory keeps none\.$/)
  const over = (await record("memory", "add", "The fair is over.", "--expires", "2020-01-01")) as {
    id: string
  }
  await said("memory", "archive", over.id)
  expect((await said("memory", "restore", over.id, "--dir", ".")).text).toContain(
    `holdfast memory edit --dir . ${over.id} --expires never`,
  )
  for (const memory of [id, over.id, /m\d+/.exec(hidden.text)?.[0] ?? ""])
    await said("memory", "archive", memory)
})

test.each(
  [
    ["memory", "lst"],
    ["note", "show", "s1"],
    ["workspace", "bogus"],
    ["workspace", "create", " "],
    ["memory", "adopt", "--from", "../nowhere"],
    ["note", "update", "foo", "x"],
    ["memory", "show", "m1@"],
    ["memory", "add", "x", "--category", "TASTES"],
    ["memory", "add", "x", "--expires", "soon"],
    ["memory", "add", "x", "--expires", "2027-02-31"],
    ["memory", "edit", "m3"],
    ["memory", "merge", "m3", "Alone."],
    ["note", "update", "s1"],
    ["note", "write", "x", "--when", "y", "--session", "ses_1"],
    ["note", "update", "n1", "--when", "y", "--session", "ses_1"],
    ["dream", "revert"],
    ["embed", "all"],
    ["search", ""],
    ["search", "   "],
    ["search", "x", "--limit", "51"],
  ].map((args) => [args.join(" "), args] as const),
)("[SU4] %s: wrong arguments end with 2", async (_, args) => {
  const { code, text } = await said(...args)
  expect(code, text).toBe(2)
  expect(text).toMatch(/^holdfast: .+/)
})

test("[SU4] a word that is no command of its group is named, and so are those that are", async () => {
  expect(await said("memory", "lst")).toEqual({
    code: 2,
    text: "holdfast: memory has no command 'lst'. There are list, show, export, add, edit, archive, restore, merge, adopt, separate. See holdfast memory --help.",
  })
  expect((await said("dream", "now")).text).toMatch(
    /^holdfast: dream has no command 'now'\. There are list, /,
  )
  expect((await said("note", "update", "foo", "x")).text).toContain(
    "foo is no id of a note; they look like s12",
  )
})

test("[MM1 NT1 WS1 DM1] what is not there is named, and ends with 2", async () => {
  for (const [name, ...args] of [
    ["m99", "memory", "show", "m99"],
    ["m99", "memory", "archive", "m99"],
    ["s99", "note", "dismiss", "s99"],
    ["w99", "workspace", "delete", "w99"],
    ["d99", "dream", "revert", "d99"],
    ["ses_", "embed", "--session", "ses_00000000000000000000000000"],
  ] as const) {
    const told = await said(...args)
    expect(told, args.join(" ")).toMatchObject({ code: 2 })
    expect(told.text).toContain(name)
  }
})

test("[NT1] note: written with what it waits for, changed, dismissed, and gone from the list", async () => {
  expect((await said("note")).text).toBe("There are no open notes.")
  const { id } = (await record("note", "write", "Drop the flag.", "--when", "It is out.")) as { id: string }
  expect(await said("note")).toEqual({
    code: 0,
    text: `${id} · waiting\nDrop the flag.\nwaits for: It is out.`,
  })
  expect((await said("note", "update", id, "Drop both.")).text).toBe(`Changed ${id} (waiting): Drop both.`)
  expect((await said("note", "dismiss", id)).text).toBe(`Dismissed ${id} (dismissed): Drop both.`)
  expect((await said("note")).text).toBe("There are no open notes.")
  expect((await said("note", "list", "--all")).text).toContain("Drop both.")
})

test("[DM1 SU4] dream: the plan changes nothing, a run tells each difference, and one alone is taken back", async () => {
  await said("memory", "archive", "m3")
  const gone = ["--expires", "2020-01-01"]
  // One after the other: a list goes by the order in which they were written.
  const a = (await record("memory", "add", "The demo is on Friday.", ...gone)) as { id: string }
  const b = (await record("memory", "add", "The fair is in May.", ...gone)) as { id: string }
  expect((await said("dream", "list")).text).toBe("The dreamer has not run in this project yet.")
  expect((await said("dream", "--dry-run")).text).toMatch(
    /\n2 memories, 2 changes planned; nothing was changed\.$/,
  )
  const { code, text } = await said("dream")
  const [, run = ""] =
    /2 memories before, 0 now; 2 changes for \$0\. Take it back: holdfast dream revert (d\d+)$/.exec(text) ??
    []
  expect(code, text).toBe(0)
  expect(text).toContain(`archive ${a.id}`)
  expect(text).toContain("  - The fair is in May.")
  expect((await said("dream", "list")).text).toMatch(
    new RegExp(`^${run}  .* by a person  done  2 changes  \\$0$`),
  )
  expect(await said("dream", "revert", run, b.id)).toEqual({
    code: 0,
    text: `${b.id} of ${run} is taken back: ${b.id} as before, for $0.\n${b.id} has expired and is shown to no model: holdfast memory edit ${b.id} --expires never\nThe rest of ${run} stays as it is: ${a.id}. Take it back: holdfast dream revert ${run}`,
  })
  for (const name of ["m77", "M1"])
    expect(await said("dream", "revert", run, name)).toEqual({
      code: 2,
      text: `holdfast: ${run} has no change named ${name}. Name one of ${a.id}, ${b.id}.`,
    })
  expect((await said("dream")).text).toBe("1 memory before, 1 now; 0 changes for $0.")
  expect(await said("dream", "revert", run, b.id)).toEqual({
    code: 0,
    text: `${b.id} of ${run} is taken back already.\nThe rest of ${run} stays as it is: ${a.id}. Take it back: holdfast dream revert ${run}`,
  })
  expect((await said("memory", "show", a.id)).text).toContain(
    `archived by the dreamer: It held until 2020-01-01.\n  in its run ${run}; open it with: holdfast dream show ${run}`,
  )
  expect((await said("memory")).text).toContain("The fair is in May.")
  expect((await said("memory")).text).not.toContain("The demo is on Friday.")
})

test("[SE3 SU4] embed says why nothing was embedded", async () => {
  expect(await said("embed")).toEqual({
    code: 0,
    text: 'Nothing was embedded: search.embedding is "off", or names a model that cannot be reached. holdfast doctor says more.',
  })
})

test("[SE1] search finds what is known of the project of the directory, and says what to try else", async () => {
  await said("memory", "add", "The gearbox is oiled weekly.")
  expect((await said("search", "gearbox")).text).toContain("holdfast memory show m")
  const nothing = "Nothing was found in this project. Try other words, or --all-projects."
  const common = "words as common as these count only in a phrase of four or more, in double quotes."
  for (const [query, text] of [
    ["zeppelin", nothing],
    ["ошибка", nothing],
    ["🎉", nothing],
    ["the of and", `Nothing was found: ${common}`],
    ['""', "Nothing was found: there is no word in it to look for."],
    ['"', "Nothing was found: there is no word in it to look for."],
  ] as const)
    expect(await said("search", query)).toEqual({ code: 0, text })
  for (const command of [["search", "x"], ["embed"]])
    expect(await said(...command, "--all-projects", "--session", "ses_1")).toMatchObject({
      code: 2,
      text: expect.stringContaining("cannot be used with option '--all-projects'") as string,
    })
})

test("[SE1] search of all projects names the project of each Session in the text and in --json", async () => {
  await using other = await makePlace()
  await other.write("config/holdfast.jsonc", JSON.stringify({ search: { embedding: "off" } }))
  await other.call(["run", "Remember the walrus."])
  const found = await other.call(["search", "walrus", "--all-projects"])
  expect(found.out).toContain(`Remember the walrus. · ${other.project} · user · `)
  expect((await other.call(["search", "walrus", "--all-projects", "--json"])).record()).toMatchObject({
    project: other.project,
  })
  expect((await other.call(["search", "walrus"])).out).not.toContain(other.project)
})

test("[MM1] export writes nothing that steers a terminal", async () => {
  await said("memory", "add", "The logo is \u001b[31mred\u0007.")
  expect((await said("memory", "export")).text).toContain("- The logo is [31mred. <!--")
})
