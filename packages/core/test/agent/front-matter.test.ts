/** What stands at the head of a Markdown file, as people write it, and what is refused. */
import { Result } from "effect"
import { describe, expect, test } from "vitest"
import { readFrontMatter } from "../../src/markdown/front-matter.ts"
import { visible, visibleLine } from "../../src/markdown/visible.ts"

const fieldsOf = (head: string) => {
  const read = readFrontMatter(`---\n${head}\n---\nBody.\n`)
  if (Result.isFailure(read)) throw new Error(read.failure.message)
  expect(read.success.body).toBe("Body.\n")
  return Object.fromEntries(read.success.fields)
}

describe("[TL6] front matter", () => {
  test.each<readonly [string, string, unknown]>([
    ["a plain text", "a: one two", "one two"],
    [
      "a colon within",
      "a: Use it when: <example>Context: x</example>",
      "Use it when: <example>Context: x</example>",
    ],
    ["quotes", `a: "one: \\"two\\""`, 'one: "two"'],
    ["single quotes", "a: 'it''s'", "it's"],
    ["a comment", "# above\na: one # beside", "one"],
    ["a list in brackets", "a: [read, 'b, c', Bash(git diff:*)]", ["read", "b, c", "Bash(git diff:*)"]],
    ["a list of lines", "a:\n  - one\n  - two", ["one", "two"]],
    ["a list without indentation", "a:\n- one\n- two", ["one", "two"]],
    ["a block", "a: |\n  one\n  two", "one\ntwo"],
    ["a folded block", "a: >-\n  one\n  two", "one two"],
    ["lines that go on", "a: one\n  two", "one two"],
    ["nothing", "a:", ""],
    ["an anchor, which is only text", "a: &x *y", "&x *y"],
  ])("has %s", (_, head, value) => expect(fieldsOf(head)).toEqual({ a: value }))

  test("is left out where there is none", () =>
    expect(readFrontMatter("# Title\n---\n")).toEqual(
      Result.succeed({ fields: new Map(), body: "# Title\n---\n" }),
    ))

  test.each<readonly [string, string, number, string]>([
    ["that is not closed", "---\na: b\n", 1, "not closed"],
    ["that sets a field twice", "---\na: 1\na: 2\n---\n", 3, "a is set twice"],
    ["with fields in a field", "---\na:\n  b: c\n---\n", 2, "it holds no fields of its own"],
    ["with a line that is no field", "---\n{[}\n---\n", 2, "is expected here"],
    ["that is a bomb of aliases", `---\na: &a [x]\nb: ${"[".repeat(20_000)}\n---\n`, 1, "longer than 16384"],
    [
      "with too many fields",
      `---\n${Array.from({ length: 65 }, (_, at) => `k${at}: v`).join("\n")}\n---\n`,
      66,
      "more than 64",
    ],
  ])("%s is refused with its line", (_, text, line, said) => {
    const read = readFrontMatter(text)
    expect(Result.isFailure(read) && read.failure).toEqual({
      line,
      message: expect.stringContaining(said) as string,
    })
  })
})

test("[TL6 SK1] what hides in a text of a stranger is written out", () => {
  expect(visible("a\u001b[31mb\u0007\tc\r\nd")).toBe("a\\u{1b}[31mb\\u{7}\tc\nd")
  expect(visible("x\u202Ey\u2066z\u{E0041}\u200B")).toBe("x\\u{202e}y\\u{2066}z\\u{e0041}\\u{200b}")
  expect(visible("👩‍💻 é ไทย")).toBe("👩‍💻 é ไทย")
  expect(visibleLine("a\n  b\u2028c", 100)).toBe("a b\\u{2028}c")
  expect(visibleLine("abcdef", 4)).toBe("abc…")
})
