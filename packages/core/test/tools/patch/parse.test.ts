import { describe, expect, test } from "vitest"
import { parsePatch } from "../../../src/tools/patch/parse.ts"

const patch = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")

test("[TL1] reads every kind of file, with hunks, lines above and the end of a file", () => {
  const text = patch(
    "*** Add File: a/new.txt",
    "+one",
    "+",
    "*** Update File: b.ts",
    "*** Move to: c.ts",
    "@@ class C",
    "@@   method() {",
    "     kept",
    "-    gone",
    "+    come",
    "",
    "@@",
    "+last",
    "*** End of File",
    "",
    "*** Delete File: d.txt",
  )
  expect(parsePatch(`\n${text}\n\n`)).toEqual({
    kind: "parsed",
    files: [
      { kind: "add", line: 3, path: "a/new.txt", content: "one\n\n" },
      {
        kind: "update",
        line: 6,
        path: "b.ts",
        moveTo: "c.ts",
        hunks: [
          {
            line: 8,
            above: ["class C", "  method() {"],
            lines: [
              { kind: "kept", text: "    kept" },
              { kind: "gone", text: "    gone" },
              { kind: "come", text: "    come" },
              { kind: "kept", text: "" },
            ],
            atEnd: false,
          },
          { line: 14, above: [], lines: [{ kind: "come", text: "last" }], atEnd: true },
        ],
      },
      { kind: "delete", line: 18, path: "d.txt" },
    ],
  })
})

test("[TL1] takes the numbers of an ordinary diff for no line above, and CRLF for a line end", () => {
  const parsed = parsePatch(
    patch("*** Update File: a", "@@ -1,2 +1,2 @@", "-a", "+b").replaceAll("\n", "\r\n"),
  )
  expect(parsed).toMatchObject({ kind: "parsed", files: [{ hunks: [{ above: [] }] }] })
})

describe("[TL1] names the line of what is malformed", () => {
  const cases: Readonly<Record<string, readonly [text: string, line: number, problem: string]>> = {
    "no beginning": ["*** Update File: a", 1, "a patch begins with the line *** Begin Patch"],
    "no end": ["*** Begin Patch\n*** Delete File: a", 2, "a patch ends with the line *** End Patch"],
    nothing: [patch(), 1, "the patch names no file"],
    "no header": [
      patch("-a", "+b"),
      2,
      "expected *** Add File: path, *** Update File: path or *** Delete File: path",
    ],
    "no path": [patch("*** Delete File: "), 2, "the path is missing"],
    "a bare line in an added file": [
      patch("*** Add File: a", "+one", "two"),
      4,
      "each line of an added file begins with +",
    ],
    "a bare line in a hunk": [
      patch("*** Update File: a", "@@", "-a", "b"),
      5,
      "each line of a hunk begins with a space, - or +",
    ],
    "an update without a change": [patch("*** Update File: a"), 2, "the update has no change in it"],
    "a hunk without a change": [patch("*** Update File: a", "@@ x", " a"), 3, "the hunk has no change in it"],
    "an unknown heading": [
      patch("*** Update File: a", "@@", "-a", "*** Rename File: b"),
      5,
      "expected a hunk, another file or *** End Patch",
    ],
  }
  for (const [name, [text, line, problem]] of Object.entries(cases))
    test(name, () => expect(parsePatch(text)).toEqual({ kind: "malformed", line, problem }))
})
