/** What the dreamer finds without a model (DM1). */
import { describe, expect, test } from "vitest"
import type { Memory } from "@holdfast/schema/memory/memory"
import { type FileState, pathsIn, planTidy } from "../../src/dreamer/tidy.ts"
import { m, memory, person } from "./memories.ts"

const tidy = (memories: readonly Memory[], files: Readonly<Record<string, FileState>> = {}) =>
  planTidy({ memories, now: 1_000, fileState: (path) => files[path] ?? "there" })

const long = "On every single machine the dev server of the web client listens on port"

describe("duplicates", () => {
  test("[DM1] merges near duplicates of a category into the one that was said most", () => {
    const memories = [
      memory(1, "Always run the linter before a commit is pushed."),
      memory(2, "Run the linter before the commit is pushed", { seen: 3 }),
      memory(3, "Release notes are written by hand"),
    ]
    expect(tidy(memories).changes).toEqual([
      { kind: "merge", ids: [m(1), m(2)], text: memories[1]?.text, reason: "They say the same." },
    ])
  })
  const distinct: readonly (readonly [string, string, string])[] = [
    ["a number", `${long} 3000`, `${long} 4000`],
    ["a negation", "Use tabs in Go files", "Never use tabs in Go files"],
    ["a name", "parseHeader owns the retry count", "parseBody owns the retry count"],
    ["a path", "src/a.ts owns the retry count", "src/b.ts owns the retry count"],
    ["what more it says", "Use tabs", "Use tabs for indentation where Go files are generated"],
  ]
  for (const [what, a, b] of distinct)
    test(`[DM1] two statements that differ by ${what} stay two`, () =>
      expect(tidy([memory(1, a), memory(2, b)]).changes).toEqual([]))
  test("[DM1] the same in another category stays", () =>
    expect(tidy([memory(1, "Use tabs"), memory(2, "use tabs", { category: "NAMING" })]).changes).toEqual([]))
  test("[DM1] what a person said stays as it is, and what says the same goes", () =>
    expect(
      tidy([memory(1, "Use tabs!", { source: person }), memory(2, "Use the tabs", { seen: 9 })]).changes,
    ).toEqual([{ kind: "archive", id: m(2), reason: "A person said the same: m1." }]))
})

describe("expiry and files", () => {
  test("[DM1] archives what has expired, and not what will", () =>
    expect(
      tidy([memory(1, "a", { expiresAt: 1_000 }), memory(2, "b", { expiresAt: 1_001 })]).changes,
    ).toEqual([{ kind: "archive", id: m(1), reason: "It held until 1970-01-01." }]))
  test("[DM1] archives what is only about files that were deleted", () =>
    expect(
      tidy([memory(1, "Headers are parsed in `src/head.ts`."), memory(2, "src/head.ts feeds src/body.ts")], {
        "src/head.ts": "deleted",
      }),
    ).toEqual({
      changes: [{ kind: "archive", id: m(1), reason: "It is about src/head.ts, which was deleted." }],
      flags: [],
    }))
  test("[DM1] only flags what a person said, and files that nobody ever saw", () => {
    const memories = [memory(1, "See docs/plan.md", { source: person }), memory(2, "Never edit dist/app.js")]
    const files = { "docs/plan.md": "deleted", "dist/app.js": "unknown" } as const
    expect(tidy(memories, files)).toEqual({
      changes: [],
      flags: [
        { id: m(1), reason: "It names docs/plan.md, which is not there." },
        { id: m(2), reason: "It names dist/app.js, which is not there." },
      ],
    })
  })
  test("[DM1] reads paths, and neither addresses nor patterns nor what lies outside", () =>
    expect(
      pathsIn(
        "`./src/a.ts:12`, docs/b.md. https://x.dev/c.html example.com/d.html src/*.ts ../e/f.ts /etc/g.conf",
      ),
    ).toEqual(["src/a.ts", "docs/b.md"]))
})
