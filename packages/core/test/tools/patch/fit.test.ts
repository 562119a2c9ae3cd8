import { describe, expect, test } from "vitest"
import { decodeText } from "../../../src/tools/file/file-text.ts"
import { fitHunks } from "../../../src/tools/patch/fit.ts"
import { parsePatch } from "../../../src/tools/patch/parse.ts"

function fit(file: string, ...hunks: readonly string[]) {
  const parsed = parsePatch(["*** Begin Patch", "*** Update File: f", ...hunks, "*** End Patch"].join("\n"))
  const [update] = parsed.kind === "parsed" ? parsed.files : []
  const text = decodeText(Buffer.from(file))
  if (update?.kind !== "update" || text === null) throw new Error(JSON.stringify(parsed))
  const fitted = fitHunks(text, update.hunks)
  return fitted.kind === "fits" ? [fitted.text, ...fitted.forgiven] : fitted.problem
}

describe("[TL1] a hunk fits", () => {
  const cases: Readonly<
    Record<string, readonly [file: string, hunks: readonly string[], ...after: readonly string[]]>
  > = {
    "where its lines stand": ["a\nb\nc\n", ["@@", " a", "-b", "+2"], "a\n2\nc\n"],
    "without a first @@": ["a\nb\n", ["-b", "+2"], "a\n2\n"],
    "below the line that it names": [
      "f()\n  x\ng()\n  x\n",
      ["@@ g()", "-  x", "+  y"],
      "f()\n  x\ng()\n  y\n",
    ],
    "below several lines that it names": [
      "class A\n  f()\n    x\nclass B\n  f()\n    x\n",
      ["@@ class B", "@@ f()", "-    x", "+    y"],
      "class A\n  f()\n    x\nclass B\n  f()\n    y\n",
    ],
    "below the hunk before it": [
      "x\na\nx\nb\n",
      ["@@", " x", "-a", "+1", "@@", " x", "-b", "+2"],
      "x\n1\nx\n2\n",
    ],
    "at the end, where it says so": ["x\na\nx\n", ["@@", "-x", "+y", "*** End of File"], "x\na\ny\n"],
    "at the end, where it only adds": ["a\n", ["@@", "+b"], "a\nb\n"],
    "below the line that it names, where it only adds": ["a\nb\n", ["@@ a", "+x"], "a\nx\nb\n"],
    "in an empty file": ["", ["+a"], "a\n"],
    "and keeps a last line without an end": ["a\nb", ["-a", "+1"], "1\nb"],
    "and keeps line ends": ["a\r\nb\r\n", [" a", "+x", "-b"], "a\r\nx\r\n"],
    "although blanks at the ends of lines differ": [
      "a  \nb\n",
      [" a", "-b", "+2"],
      "a  \n2\n",
      "trailing blanks",
    ],
    "although the indentation differs": [
      "\tif (a) {\n\t\tb\n\t}\n",
      [" if (a) {", "-\tb", "+\tc", " }"],
      "\tif (a) {\n\t\tc\n\t}\n",
      "indentation",
    ],
    "although quotes are typographic": [
      "it’s\nx\n",
      [" it's", "-x", "+y"],
      "it’s\ny\n",
      "typographic quotes",
    ],
    "and takes all lines away": ["a\n", ["-a"], ""],
  }
  for (const [name, [file, hunks, ...after]] of Object.entries(cases))
    test(name, () => expect(fit(file, ...hunks)).toEqual(after))
})

describe("[TL1] a hunk does not fit", () => {
  const cases: Readonly<Record<string, readonly [file: string, hunks: readonly string[], problem: RegExp]>> =
    {
      "where its lines are not there": ["a\n", ["-b", "+c"], /^these lines are not in the file/],
      "above the hunk before it": [
        "a\nb\n",
        ["@@", "-b", "+2", "@@", "-a", "+1"],
        /not below those of the hunk/,
      ],
      "in several places": ["x\nx\n", ["-x", "+y"], /^it fits in 2 places, at lines 1, 2; give more lines/],
      "where the line above is not there": ["a\n", ["@@ nowhere", "-a", "+b"], /^the line behind @@ is not/],
      "not at the end": ["x\na\n", ["-x", "+y", "*** End of File"], /^these lines are not in the file/],
      "in the middle of a line": ["xa\n", ["-a", "+b"], /^these lines are not in the file/],
    }
  for (const [name, [file, hunks, problem]] of Object.entries(cases))
    test(name, () => expect(fit(file, ...hunks)).toMatch(problem))
})
