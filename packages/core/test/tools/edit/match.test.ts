import { describe, expect, test } from "vitest"
import { alikeLines } from "../../../src/tools/edit/alike.ts"
import { type Match, findMatch, placesMax, replaceAt } from "../../../src/tools/edit/match.ts"

const find = (file: string, old: string, replacement = "new", all = false): Match =>
  findMatch(file, { old, replacement, all })

/** The file after the edit, with what was forgiven; or how many places there are. */
function edited(file: string, old: string, replacement?: string, all?: boolean): readonly unknown[] {
  const match = find(file, old, replacement, all)
  if (match.kind === "found") return [replaceAt(file, match.places), ...match.forgiven]
  return match.kind === "none" ? ["none"] : ["several", ...match.starts]
}

describe("[TL1] finds the old text", () => {
  type Row = readonly [
    file: string,
    old: string,
    replacement: string,
    after: string,
    ...forgiven: readonly string[],
  ]
  const cases: Readonly<Record<string, Row>> = {
    "as it is": ["one two three", "two", "2", "one 2 three"],
    "although the file has quotes of every typographic kind": [
      "“a” „b‟ ‘c’ ‚d‛",
      `"a" "b" 'c' 'd'`,
      "x",
      "x",
      "typographic quotes",
    ],
    "with its line ends as they are": ["a\r\nb\r\nc", "a\r\nb", "x", "x\r\nc"],
    "although its lines end otherwise": ["a\r\nb\r\nc\r\n", "a\nb\n", "x\r\n", "x\r\nc\r\n", "line ends"],
    "although the file has plain line ends": ["a\nb\nc", "a\r\nb", "x", "x\nc", "line ends"],
    "although the file has blanks at the end of a line": [
      "f(a)  \n  g()\nh",
      "f(a)\n  g()",
      "k()",
      "k()\nh",
      "trailing blanks",
    ],
    "although it has blanks at the end of a line": ["a\nb\nc", "a \t\nb ", "x", "x\nc", "trailing blanks"],
    "although both line ends and trailing blanks differ": [
      "a \r\nb\r\n",
      "a\nb",
      "x",
      "x\r\n",
      "line ends",
      "trailing blanks",
    ],
    "although its lines are indented less": [
      "{\n    if (a) {\n      b()\n    }\n}",
      "if (a) {\n  b()\n}",
      "if (a) {\n  c()\n\n  d()\n}",
      "{\n    if (a) {\n      c()\n\n      d()\n    }\n}",
      "indentation",
    ],
    "although its lines are indented more": [
      "if (a) {\n  b()\n}\n",
      "    if (a) {\n      b()\n    }\n",
      "    c()\n",
      "c()\n",
      "indentation",
    ],
    "although its lines are indented by spaces instead of tabs": [
      "\t\ta()\n\t\tb()",
      "    a()\n    b()",
      "    c()",
      "\t\tc()",
      "indentation",
    ],
    "although its quotes are typographic": [
      "say('no')\nsay(\"yes\")",
      "say(“yes”)",
      "say(it)",
      "say('no')\nsay(it)",
      "typographic quotes",
    ],
    "although the file has typographic quotes": [
      "it’s “so”",
      'it\'s "so"',
      "yes",
      "yes",
      "typographic quotes",
    ],
    "although quotes and indentation differ": [
      "  a\n  say(‘x’)\n",
      "a\nsay('x')\n",
      "b\n",
      "  b\n",
      "indentation",
      "typographic quotes",
    ],
  }
  for (const [name, [file, old, replacement, after, ...forgiven]] of Object.entries(cases))
    test(name, () => expect(edited(file, old, replacement)).toEqual([after, ...forgiven]))

  test("with a replacement that is literal", () => {
    for (const literal of ["$&", "$1", "$$", "$`", "\\n", "$<name>"])
      expect(edited("a b c", "b", literal)).toEqual([`a ${literal} c`])
  })

  test("at every place where all are asked for", () => {
    expect(edited("a b a b a", "a", "$&", true)).toEqual(["$& b $& b $&"])
    expect(edited("aaaa", "aa", "b", true)).toEqual(["bb"])
    expect(edited("x\r\ny\r\nx\r\ny\r\n", "x\ny\n", "z\r\n", true)).toEqual(["z\r\nz\r\n", "line ends"])
  })

  test("and leaves everything else as it is, byte for byte", () => {
    const file = "a \r\n\tb\n“c” \nold  \n\r\nd\r"
    expect(edited(file, "old\n", "new\n")).toEqual(["a \r\n\tb\n“c” \nnew\n\r\nd\r", "trailing blanks"])
  })
})

describe("[TL1] does not guess", () => {
  const several: Readonly<Record<string, readonly [file: string, old: string, starts: readonly number[]]>> = {
    "which of two exact places is meant": ["ab ab", "ab", [0, 3]],
    "which of two places with other line ends is meant": ["a\r\nb\r\na\r\nb", "a\nb", [0, 6]],
    "which of two places with other blanks is meant": ["a \nb\na  \nb", "a\nb", [0, 5]],
    "which of two places with other indentation is meant": ["  a()\n  b\n\ta()\n\tb\n", "a()\nb\n", [0, 10]],
    "which of two places with other quotes is meant": ["“a” “a”", '"a"', [0, 4]],
  }
  for (const [name, [file, old, starts]] of Object.entries(several))
    test(name, () => {
      expect(edited(file, old)).toEqual(["several", ...starts])
    })

  test("that all of several looser places are meant", () => {
    expect(edited("  a()\n  b\n\ta()\n\tb\n", "a()\nb\n", "x", true)[0]).toBe("several")
  })

  const none: Readonly<Record<string, readonly [file: string, old: string]>> = {
    "that another word is meant": ["const total = 1", "const totals = 1"],
    "that another case is meant": ["Total", "total"],
    "that blanks inside of a line do not matter": ["a  b", "a b"],
    "that the indentation of one line does not matter": ["  a\n  b\n", "a\n b\n"],
    "that a line is missing": ["a\nb\nc\n", "a\nc\n"],
    "that an empty line is missing": ["a\n\nb", "a\nb"],
    "that blanks at the end may stand within a line": ["foobar", "foo "],
    "that a part of a line may be indented otherwise": ["  x = a()\n  b()", "a()\nb()"],
  }
  for (const [name, [file, old]] of Object.entries(none))
    test(name, () => expect(edited(file, old)).toEqual(["none"]))
})

test("[TL1] a megabyte of text that nearly fits everywhere is searched quickly", () => {
  const file = "  a()\n  b()\n".repeat(90_000)
  const started = performance.now()
  expect(find(file, `${"a()\nb()\n".repeat(40)}c()\n`).kind).toBe("none")
  expect(performance.now() - started).toBeLessThan(5_000)
})

describe("[TL1] names the lines that look alike", () => {
  const file = "import a\n\nfunction total(list) {\n  return sum(list)\n}\n\nfunction other() {}\n"
  const cases: Readonly<
    Record<string, readonly [wanted: string, alike: readonly (readonly [number, string])[]]>
  > = {
    "by the lines that are shared": [
      "function total(list) {\n  return add(list)\n}",
      [
        [3, "function total(list) {"],
        [4, "  return sum(list)"],
        [5, "}"],
      ],
    ],
    "by the words that are shared": ["function total(items)", [[3, "function total(list) {"]]],
    "none where nothing is": ["x = 9", []],
  }
  for (const [name, [wanted, alike]] of Object.entries(cases))
    test(name, () =>
      expect(alikeLines(file, wanted).map(({ number, text }) => [number, text])).toEqual(alike),
    )
})

test("[TL1] more places than anybody could mean are counted no further, and none is replaced", () => {
  const match = findMatch("x".repeat(3 * placesMax), { old: "x", replacement: "y", all: true })
  expect(match.kind === "several" ? match.starts.length : match.kind).toBe(placesMax + 1)
})
