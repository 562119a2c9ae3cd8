/** How docs/rules.md is read and judged; the rules that are done do not become fewer. */
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { readRatchets } from "./ratchets.ts"
import { countRules, describeCounts, judgeRules, parseRules, rulesPath } from "./rules.ts"

test("the counts of rules do not fall", () => {
  const counts = countRules(parseRules(readFileSync(rulesPath, "utf8")))
  const recorded = readRatchets().rules
  const behind = counts.done > recorded.done || counts.proven > recorded.proven
  const hint = behind ? " (more than recorded: run `npx node scripts/ratchet.ts`)" : ""
  console.log(`${describeCounts(counts)}${hint}`)
  const fewer = "than before: bring back what made them so, with its tests and mutants."
  expect(counts.done, `Fewer rules are done ${fewer}`).toBeGreaterThanOrEqual(recorded.done)
  expect(counts.proven, `Fewer rules are proven ${fewer}`).toBeGreaterThanOrEqual(recorded.proven)
})

const spec = `## A. First (\`AA\`)
- AA1 It holds.
- AA2 It holds, too.

## B. Second (\`BB\`)
- BB1 It will hold.

## Glossary
- **AA**: none.`

const head = "| rule | state | what | tests |\n| --- | --- | --- | --- |"
const aa1 = "| AA1 | done | it holds | test/a.test.ts, test/b.test.ts |"
const aa2 = "| AA2 | partly | Half of it lacks. | test/a.test.ts |"
const bb1 = "| BB1 | absent | what it is about | |"
const first = "## A. First (`AA`)"
const second = "## B. Second (`BB`)"
const lines = ["# Rules", "", "## How", "", first, head, aa1, aa2, second, head, bb1]
const sound = lines.join("\n")

const cite = (rule: string, file: string) => ({ rule, file, title: `[${rule}] holds` })
const cited = [
  cite("AA1", "test/a.test.ts"),
  cite("AA1", "test/b.test.ts"),
  cite("AA2", "test/a.test.ts"),
  cite("AA2", "test/c.test.ts"),
]

test("a page is read row by row, with its sections", () =>
  expect(parseRules(sound)).toEqual({
    outline: ["A. First (`AA`)", "AA1", "AA2", "B. Second (`BB`)", "BB1"],
    rows: [
      { id: "AA1", state: "done", note: "it holds", tests: ["test/a.test.ts", "test/b.test.ts"] },
      { id: "AA2", state: "partly", note: "Half of it lacks.", tests: ["test/a.test.ts"] },
      { id: "BB1", state: "absent", note: "what it is about", tests: [] },
    ],
  }))

test("a sound page has no fault", () => expect(judgeRules(spec, parseRules(sound), cited)).toEqual([]))

test.each([
  ["a rule that is left out", aa2, "", ["AA2 is missing"]],
  ["a section that is left out", second, "", ["B. Second (`BB`) is missing"]],
  ["a rule of no SPEC", aa2, `${aa2}\n| ZZ9 | absent | nothing | |`, ["ZZ9 is not in the SPEC"]],
  ["another order", `${aa1}\n${aa2}`, `${aa2}\n${aa1}`, ["AA2 stands where the SPEC has AA1"]],
  ["a rule told twice", aa2, `${aa2}\n${aa2}`, ["AA2 stands where the SPEC has B. Second (`BB`)"]],
  ["a rule told again at the end", bb1, `${bb1}\n${aa1}`, ["AA1 stands where the SPEC has nothing more"]],
  [
    "a rule in another section",
    `${aa2}\n${second}\n${head}`,
    `${second}\n${head}\n${aa2}`,
    ["B. Second (`BB`) stands where the SPEC has AA2"],
  ],
  ["another state", "absent", "planned", ["BB1 has none of the states done, partly, absent"]],
  [
    "a cell too many",
    "it holds",
    "it | holds",
    ["AA1 has none of the states done, partly, absent", "AA1 names holds, which does not cite it"],
  ],
  [
    "a lack that is not told",
    "Half of it lacks.",
    "",
    ["AA2 is partly, and does not say in short what that is, or what lacks"],
  ],
  ["a claim without a file", aa2, "| AA2 | partly | Half. | |", ["AA2 is partly, and names no test file"]],
  [
    "a file that does not cite",
    "test/b.test.ts",
    "test/c.test.ts",
    ["AA1 names test/c.test.ts, which does not cite it"],
  ],
  [
    "a file that does not exist",
    "test/b.test.ts",
    "test/no.test.ts",
    ["AA1 names test/no.test.ts, which does not cite it"],
  ],
  [
    "a done rule without a test",
    bb1,
    "| BB1 | done | all of it | |",
    ["BB1 is done, and no test cites it", "BB1 is done, and names no test file"],
  ],
  [
    "an absent rule with a test",
    aa2,
    "| AA2 | absent | half of it | |",
    ["AA2 is absent, and test/a.test.ts cites it"],
  ],
] as const)("%s is a fault", (_, part, instead, faults) => {
  expect(sound).toContain(part)
  expect(judgeRules(spec, parseRules(sound.replace(part, instead)), cited)).toEqual(faults)
})

test("more than three files are too many to begin with", () => {
  const files = ["a", "b", "c", "d"].map((name) => `test/${name}.test.ts`)
  const row = { id: "AA1", state: "done", note: "it holds", tests: files }
  const page = { outline: ["AA1"], rows: [row] }
  const citations = files.map((file) => cite("AA1", file))
  expect(judgeRules("- AA1 It holds.", page, citations)).toEqual(["AA1 names more than 3 test files"])
})

test("a mutant proves a rule only where the whole rule is done", () => {
  const counts = countRules(parseRules(sound), [{ rules: ["AA1", "AA2"] }, { rules: ["AA1"] }])
  expect(counts).toEqual({ rules: 3, done: 1, partly: 1, absent: 1, proven: 1 })
  expect(countRules(parseRules(sound), [{ rules: ["AA2"] }]).proven).toBe(0)
  expect(describeCounts(counts)).toBe("rules done 1, partly 1, absent 1 of 3; proven 1")
})
