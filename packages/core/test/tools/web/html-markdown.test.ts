import { expect, test } from "vitest"
import { markdownOf } from "../../../src/tools/web/html-markdown.ts"

const open = new AbortController().signal
const markdown = (html: string) => markdownOf(html, new URL("https://example.com/docs/"), open)

test.each([
  ["a title where there is no heading", "<title>A &amp; b</title><p>x", "# A & b\n\nx"],
  ["headings", "<title>T</title><h1>One</h1><h3>Two <em>x</em></h3>", "# One\n\n### Two *x*"],
  ["paragraphs and breaks", "<p>a\n  b<br>c</p><div>d</div>", "a b\nc\n\nd"],
  ["lists in lists", "<ul><li>a<li>b<ol start=3><li>c<li>d</ol></ul>", "- a\n- b\n  3. c\n  4. d"],
  [
    "code with its language",
    '<pre><code class="hl language-ts">a &lt; b\n  c</code></pre>',
    "```ts\na < b\n  c\n```",
  ],
  ["code that holds a fence", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"],
  ["code in a line", "<p>run <code>ls -l</code> now", "run `ls -l` now"],
  ["tables", "<table><tr><th>a<th>b<tr><td>1<td>2</table>", "| a | b |\n| --- | --- |\n| 1 | 2 |"],
  ["tables that lay out a page", "<table><tr><td><h2>a</h2><td><p>b</p></table>", "## a\n\nb"],
  ["quotes", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n\n> b"],
  [
    "links",
    '<a href="../x?y">to</a> <a href="#z">here</a> <a href="javascript:x">no</a>',
    "[to](https://example.com/x?y) here no",
  ],
  [
    "images",
    '<img src="i.png" alt="an  i"><img src="data:x" alt="d">',
    "![an i](https://example.com/docs/i.png)d",
  ],
  ["nothing of what nobody reads", "<style>a</style><script>b</script><p>c<svg><title>d</title></svg>", "c"],
  ["nothing of nothing", "", ""],
])("[TL1] shows %s", async (_, html, expected) => expect(await markdown(html)).toBe(expected))

test("[TL1] reads a document no further that is nested beyond reason", async () => {
  const text = await markdown(`<p>first</p>${"<div>".repeat(200_000)}x`)
  expect(text).toBe("first\n\n[the rest is nested too deeply to be read]")
})

test("[TL1] gives up where it is told to", async () => {
  const signal = AbortSignal.abort(new Error("enough"))
  await expect(markdownOf("<p>x", new URL("https://example.com"), signal)).rejects.toThrow("enough")
})
