/** docs/guarantees.md names rules that there are, and suites that do cite them. */
import { readFileSync } from "node:fs"
import { join, matchesGlob } from "node:path"
import { expect, test } from "vitest"
import { repositoryRoot } from "../../scripts/command.ts"
import { suites } from "../../scripts/suites.ts"
import { citationsOf, citingSources } from "../tidy/citations.ts"

const page = readFileSync(join(repositoryRoot, "docs/guarantees.md"), "utf8")
const rows = [...page.matchAll(/^\| (.+?) \| ((?:[A-Z]{2}\d+ ?)+) \| (.+?) \|$/gm)].map(
  ([, guarantee = "", rules = "", named = ""]) => ({
    guarantee,
    rules: rules.trim().split(" "),
    named: named.split(", "),
  }),
)

/** Rules by suite; what several test files share counts for the suites of its folder. */
const cited = Map.groupBy(
  citationsOf(citingSources()).flatMap(({ file, rule }) =>
    suites
      .filter(({ files, except }) => files?.some(holds(file)) === true && except?.some(holds(file)) !== true)
      .map(({ name }) => ({ name, rule })),
  ),
  ({ name }) => name,
)

test("the page has its table", () => expect(rows.length).toBeGreaterThan(10))

test.each(rows)("$guarantee", ({ rules, named }) => {
  const rulesOf = (suite: string) => new Set(cited.get(suite)?.map(({ rule }) => rule))
  const idle = named.filter((suite) => !rules.some((rule) => rulesOf(suite).has(rule)))
  const bare = rules.filter((rule) => !named.some((suite) => rulesOf(suite).has(rule)))
  expect({ idle, bare }, "Mend the row, or cite the rule in the title of the test that shows it.").toEqual({
    idle: [],
    bare: [],
  })
})

test("every suite that the page explains exists", () => {
  const explained = [...page.matchAll(/^- \*\*([a-z-]+)\*\*/gm)].map(([, name]) => name)
  expect(explained.length).toBeGreaterThan(5)
  expect(suites.map(({ name }) => name)).toEqual(expect.arrayContaining(explained))
})

function holds(file: string): (glob: string) => boolean {
  return (glob) => matchesGlob(file, glob)
}
