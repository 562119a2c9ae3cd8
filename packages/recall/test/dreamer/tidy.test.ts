/** What the dreamer finds without a model (DM1). */
import { describe, expect, test } from "vitest"
import type { Memory } from "@holdfast/schema/memory/memory"
import { type FileState, pathsIn, planTidy } from "../../src/dreamer/tidy.ts"
import { m, memory, person } from "./memories.ts"

const tidy = (memories: readonly Memory[], files: Readonly<Record<string, FileState>> = {}) =>
  planTidy({ memories, now: 1_000, broughtBackAt: new Map(), fileState: (path) => files[path] ?? "there" })

const long = "On every single machine the dev server of the web client listens on port"

describe("duplicates", () => {
  test("[DM1] merges near duplicates of a category into the one that was said most", () => {
    const memories = [
      memory(1, "Run the linters, before a commit is pushed."),
      memory(2, "run linter before the commits are pushed", { seen: 3 }),
      memory(3, "Release notes are written by hand"),
    ]
    expect(tidy(memories).changes).toEqual([
      { kind: "merge", ids: [m(1), m(2)], text: memories[1]?.text, reason: "They say the same." },
    ])
  })
  test("[DM1] what was said most comes before what was said last, and of equals the last", () => {
    const texts = ["Use tabs in Go.", "use tabs in Go", "Use the tabs in Go"]
    const kept = (...seen: readonly number[]) =>
      tidy(texts.map((text, at) => memory(at + 1, text, { seen: seen[at] ?? 1 }))).changes.map((change) =>
        change.kind === "merge" ? change.text : change.kind,
      )
    expect([kept(3, 1, 2), kept(1, 3, 2), kept(2, 1, 2)]).toEqual([[texts[0]], [texts[1]], [texts[2]]])
  })
  const distinct: readonly (readonly [string, string, string])[] = [
    ["a number", `${long} 3000`, `${long} 4000`],
    ["a negation", "Use tabs in Go files", "Never use tabs in Go files"],
    ["a name", "parseHeader owns the retry count", "parseBody owns the retry count"],
    ["a path", "src/a.ts owns the retry count", "src/b.ts owns the retry count"],
    ["the order", "Deploy to staging before production.", "Deploy to production before staging."],
    [
      "who does it",
      "The client retries and the server never blocks",
      "The server retries and the client never blocks",
    ],
    ["a case", "Use tabs rather than spaces in every file", "Use spaces rather than tabs in every file"],
    ["how often", "The gateway sometimes retries at once", "The gateway always retries at once"],
    ["how many", "All of the tests run in a sandbox on CI", "Some of the tests run in a sandbox on CI"],
    ["a direction", "Imports from core into recall are allowed", "Imports from recall into core are allowed"],
    [
      "a number in words",
      "The timeout of the gateway is five seconds",
      "The timeout of the gateway is nine seconds",
    ],
    [
      "an opposite",
      "Retries are enabled on the release branch",
      "Retries are disabled on the release branch",
    ],
    ["a bound", "The range of the cache is [0, 1)", "The range of the cache is (0, 1]"],
    ["a sign", "The build passes !important on to the sheet", "The build passes important on to the sheet"],
    ["a name that ends in s", "The nightly build runs on Windows", "The nightly build runs on Window"],
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

describe("the bound of a run", () => {
  const rule = (at: number) => memory(at, `Rule ${at} holds`)
  const rest = Array.from({ length: 6 }, (_, at) => rule(at + 20))
  const names = (memories: readonly Memory[], files: Readonly<Record<string, FileState>> = {}) => {
    const { changes, left, refused } = tidy(memories, files)
    return {
      ended: changes.flatMap((change) => (change.kind === "merge" ? change.ids : [change.id])),
      left,
      refused,
    }
  }
  test("[DM1] a run without a model ends at most a fifth of what holds, and what is over waits", () => {
    const same = [1, 2, 3, 4].map((at) => memory(at, `Use tabs${".".repeat(at)}`))
    expect(names([...same, ...rest])).toEqual({ ended: [m(1), m(2), m(4)], left: 0, refused: 1 })
    const lost = [memory(5, "src/a.ts is old"), memory(6, "src/b.ts is old"), memory(7, "src/c.ts is old")]
    const gone = { "src/a.ts": "deleted", "src/b.ts": "deleted", "src/c.ts": "deleted" } as const
    expect(names([...same, ...lost, ...rest], gone)).toEqual({ ended: [m(5), m(6)], left: 0, refused: 4 })
  })
  test("[DM1] what has expired counts neither as ended nor as what holds", () => {
    const over = [1, 2, 3].map((at) => memory(at, `It holds ${at} days`, { expiresAt: 1 }))
    expect(names(over)).toEqual({ ended: [m(1), m(2), m(3)], left: 1, refused: 0 })
  })
})

describe("expiry and files", () => {
  test("[DM1] archives what has expired, and not what will", () =>
    expect(
      tidy([memory(1, "a", { expiresAt: 1_000 }), memory(2, "b", { expiresAt: 1_001 })]).changes,
    ).toEqual([{ kind: "archive", id: m(1), reason: "It held until 1970-01-01." }]))
  test("[DM1] what a person brought back after its time stays, and ends with a time that came later", () => {
    const memories = [400, 500, 600].map((expiresAt, at) => memory(at + 1, `Rule ${at} holds`, { expiresAt }))
    const broughtBackAt = new Map(memories.map(({ id }) => [id, 500]))
    const { changes } = planTidy({ memories, now: 1_000, broughtBackAt, fileState: () => "there" })
    expect(changes.map((change) => change.kind === "archive" && change.id)).toEqual([m(3)])
  })
  test("[DM1] only flags what names a file that nobody knows beside one that was deleted", () => {
    const files = { "src/head.ts": "deleted", "src/tail.ts": "unknown" } as const
    const { changes, flags } = tidy([memory(1, "src/head.ts calls src/tail.ts")], files)
    expect(changes).toEqual([])
    expect(flags.map(({ id }) => id)).toEqual([m(1)])
  })
  test("[DM1] archives what is only about files that were deleted", () =>
    expect(
      tidy([memory(1, "Headers are parsed in `src/head.ts`."), memory(2, "src/head.ts feeds src/body.ts")], {
        "src/head.ts": "deleted",
      }),
    ).toEqual({
      changes: [{ kind: "archive", id: m(1), reason: "It is about src/head.ts, which was deleted." }],
      flags: [],
      left: 0,
      refused: 0,
    }))
  test("[DM1] only flags what a person said, and files that nobody ever saw", () => {
    const memories = [memory(1, "See docs/plan.md", { source: person }), memory(2, "Never edit dist/app.js")]
    const files = { "docs/plan.md": "deleted", "dist/app.js": "unknown" } as const
    expect(tidy(memories, files)).toMatchObject({
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
