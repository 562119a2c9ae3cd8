/** Functions that V8 is to compile with their file: the program stays the same. */
import { expect, test } from "vitest"
import { withEager } from "../../../../scripts/eager.ts"

const source = `import { a } from "./a.js";
const early = late(1);
function late(n) { return [n].map((x) => x + 1); }
function unused() { return () => 0; }
const object = { method() { return 1 }, field: function () { return 2 } };
export { early, late, object, unused };
`

const rangeOf = (text: string): string => `${source.indexOf(text)}:${source.indexOf(text) + text.length}`

const late = rangeOf("function late(n) { return [n].map((x) => x + 1); }")
const arrow = rangeOf("(x) => x + 1")
const field = rangeOf("function () { return 2 }")
const method = rangeOf("() { return 1 }")

test("what was called stands in parentheses, a declared function at the top; methods and the rest stay", () => {
  expect(withEager(source, new Set([late, arrow, field, method]), false)).toBe(`import { a } from "./a.js";
var late = (function late(n) { return [n].map(((x) => x + 1)); });
const early = late(1);

function unused() { return () => 0; }
const object = { method() { return 1 }, field: (function () { return 2 }) };
export { early, late, object, unused };
`)
})

test("texts are ASCII and mean the same, but for those that their tag reads as they are written", () => {
  const written = withEager('const t = ["é→😀", `→${1}`, /[→😀]/u, String.raw`→`];\n', new Set(), false)
  expect(written).toBe(
    'const t = ["\\u00e9\\u2192\\ud83d\\ude00", `\\u2192${1}`, /[\\u2192\\ud83d\\ude00]/u, String.raw`→`];\n',
  )
})

test("a file in a circle of imports keeps its declared functions, which others may call before it runs", () => {
  expect(withEager(source, new Set([late]), true)).toBe(source)
})
