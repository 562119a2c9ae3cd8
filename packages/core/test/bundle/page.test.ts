/** Pages for people: nothing in them runs, leads astray, or tells a secret (ST4, AU1). */
import { expect, test } from "vitest"
import { htmlPage } from "../../src/bundle/page/html.ts"
import { markdownPage } from "../../src/bundle/page/markdown.ts"
import type { Section } from "../../src/bundle/page/page.ts"

const script = `<script>alert("1")</script><img src=x onerror='x'>&amp;`

const section: Section = {
  speaker: "Assistant",
  blocks: [
    { kind: "text", text: script },
    { kind: "thought", text: "one\ntwo" },
    { kind: "call", name: "ba`sh\n# x", state: "done", input: "```\n# not a heading", output: "````" },
    { kind: "image", label: `"><b>`, mediaType: "image/png", bytes: Buffer.from("png") },
  ],
}

test("[ST4] an HTML page escapes every text, loads nothing and runs nothing", () => {
  const page = htmlPage.begin(script, [["Directory", script]]) + htmlPage.section(section) + htmlPage.end
  expect(page).not.toMatch(/<script|<img src=x|<b>|onerror='/)
  expect(page).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;")
  expect(page).toContain("default-src 'none'")
  expect(page).toContain("@media print")
  expect(page.match(/(src|href)="(?!data:)/g)).toBeNull()
  expect(page).toContain(`src="data:image/png;base64,${Buffer.from("png").toString("base64")}"`)
})

test("[ST4] Markdown keeps what tools said within fences that it cannot close", () => {
  const page = markdownPage.begin("A\ntitle", []) + markdownPage.section(section)
  expect(page).toContain("# A title\n")
  expect(page).toContain("````\n```\n# not a heading\n````")
  expect(page).toContain("`````\n````\n`````")
  expect(page).toContain("> one\n> two")
  expect(page).toContain("**ba`sh # x** (done)")
})
