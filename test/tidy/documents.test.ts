/** Documents that a machine can check: the SPEC, the glossary, the changelog, the contributors' guide, words and links. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { repositoryRoot } from "../../scripts/command.ts"
import { glossaryPath, renderGlossary, specPath } from "../../scripts/glossary.ts"

const agentsLinesMax = 150
const read = (path: string) => readFileSync(join(repositoryRoot, path), "utf8")

test("docs/SPEC.md is the shared SPEC where there is one", () => {
  const shared = join(repositoryRoot, "../shared/SPEC.md")
  if (!existsSync(shared)) return
  const same = readFileSync(shared, "utf8") === readFileSync(specPath, "utf8")
  expect(same, "Copy ../shared/SPEC.md to docs/SPEC.md, then run `npx node scripts/glossary.ts`.").toBe(true)
})

test("docs/GLOSSARY.md is what the SPEC says", () => {
  const fresh = renderGlossary(readFileSync(specPath, "utf8")) === readFileSync(glossaryPath, "utf8")
  expect(fresh, "Run `npx node scripts/glossary.ts`.").toBe(true)
})

test("the changelog groups one-line changes", () => {
  const kinds = ["Breaking", "Added", "Changed", "Fixed"]
  const wrong = read("CHANGELOG.md")
    .split("\n")
    .slice(read("CHANGELOG.md").split("\n").indexOf("## Unreleased"))
    .filter((line) => line !== "")
    .filter((line) => {
      if (line.startsWith("## ")) return !/^## (Unreleased|\d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\))$/.test(line)
      if (line.startsWith("### ")) return !kinds.includes(line.slice(4))
      return !/^- \S.*[.)]$/.test(line)
    })
  expect(
    wrong,
    `A line is "- … ." below "### ${kinds.join("|")}" below "## Unreleased" or "## 1.2.3 (date)".`,
  ).toEqual([])
})

test("AGENTS.md stays short", () => expect(read("AGENTS.md").split("\n").length).toBeLessThan(agentsLinesMax))

describe("docs/recall-properties.md", () => {
  const rows = [...read("docs/recall-properties.md").matchAll(/^\| (\d+) \| (.+) \| `(.+?)`: `(.+)` \|$/gm)]

  test("has a line for each of its properties", () =>
    expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 73 }, (_, at) => at + 1)))

  test("names tests that are there", () => {
    const gone = rows.filter(
      ([, , , file = "", title = ""]) =>
        !existsSync(join(repositoryRoot, file)) || !read(file).includes(title),
    )
    expect(gone.map(([line]) => line)).toEqual([])
  })
})

describe("docs/words.md", () => {
  test("explains each word in one paragraph", () => {
    const paragraphs = read("docs/words.md").split("\n\n").slice(2)
    const explained = paragraphs.filter((_, at) => at % 2 === 0)
    expect(explained).toEqual(
      ["Session", "Turn", "Window", "Fold", "Historian", "Memory", "Break", "Epoch", "Owing", "Blocked"].map(
        (word) => `## ${word}`,
      ),
    )
    expect(paragraphs.filter((_, at) => at % 2 === 1).every((text) => !text.startsWith("#"))).toBe(true)
  })
})

describe("links between the pages for users lead somewhere:", () => {
  const pages = ["README.md", ...globSync("docs/*.md", { cwd: repositoryRoot })]
  test.each(pages)("%s", (page) => {
    const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to ?? "")
    const broken = links.filter((link) => !link.includes("://") && !leads(page, link))
    expect(broken).toEqual([])
  })
})

function leads(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#")
  const target = path === "" ? page : join(dirname(page), path)
  if (!existsSync(join(repositoryRoot, target))) return false
  return anchor === undefined || headingsOf(target).includes(anchor)
}

/** As GitHub names them. */
const headingsOf = (page: string): readonly string[] =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  )
