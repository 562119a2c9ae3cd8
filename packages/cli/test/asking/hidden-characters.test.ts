/** What a person sees of a text that they are to judge. */
import { expect, test } from "vitest"
import { nameHidden, nameHiddenInLine } from "../../src/asking/hidden-characters.ts"

test.each([
  ["plain text stays", "rm -rf 'a b' äöü 漢字 🙂", "rm -rf 'a b' äöü 漢字 🙂"],
  ["an escape sequence", "ls\u001b[2K\u001b[1A", "ls<U+001B>[2K<U+001B>[1A"],
  ["a carriage return", "rm -rf /\rls", "rm -rf /<U+000D>ls"],
  ["a backspace and a delete", "a\b\u007f", "a<U+0008><U+007F>"],
  ["a right-to-left override", "photo\u202egpj.exe", "photo<U+202E>gpj.exe"],
  ["isolates", "a\u2066b\u2069", "a<U+2066>b<U+2069>"],
  ["marks of direction", "\u200e\u200f\u061c", "<U+200E><U+200F><U+061C>"],
  ["characters without width", "a\u200bb\u2060c\ufeff", "a<U+200B>b<U+2060>c<U+FEFF>"],
  ["tags that only machines read", "ok\u{e0041}", "ok<U+E0041>"],
  ["a soft hyphen and a filler", "a\u00adb\u3164", "a<U+00AD>b<U+3164>"],
  ["separators of lines and paragraphs", "a\u2028b\u2029", "a<U+2028>b<U+2029>"],
  ["controls of the second set", "a\u009b2J", "a<U+009B>2J"],
  ["half of a pair", "a\ud800b", "a<U+D800>b"],
  ["line breaks and tabs stay", "a\n\tb", "a\n\tb"],
])("[PE5] makes visible: %s", (_, text, shown) => expect(nameHidden(text)).toBe(shown))

test("[PE5] names line breaks too where there is one line", () =>
  expect(nameHiddenInLine("a\n\tb")).toBe("a<U+000A><U+0009>b"))
