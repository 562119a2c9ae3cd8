/** A Session as one HTML page: nothing is loaded and nothing runs in it, and it can be printed. */
import { escapeMarkup as escaped } from "@holdfast/schema/markup/escape"
import type { Block, PageForm } from "./page.ts"

/** Its texts are escaped, so this only guards against a mistake: a page that runs nothing needs no more. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

const style = `
:root { color-scheme: light dark; --soft: #666; --rule: #ccc; --box: #f5f5f5 }
@media (prefers-color-scheme: dark) { :root { --soft: #aaa; --rule: #555; --box: #222 } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--rule) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; color: var(--soft) } dd { margin: 0; overflow-wrap: anywhere }
p, pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .5rem 0 }
pre { font: 13px/1.4 ui-monospace, monospace; background: var(--box); padding: .6rem; border-radius: 4px }
.thought { color: var(--soft); border-left: 3px solid var(--rule); padding-left: .8rem } img { max-width: 100% }
@media print { :root { color-scheme: light; --soft: #444; --rule: #999 } body { margin: 0; max-width: none; font-size: 11pt } h2 { break-after: avoid } pre { background: none; border: 1px solid var(--rule) } }
`

export const htmlPage: PageForm = {
  begin: (title, facts) =>
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<dl>
${facts.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join("\n")}
</dl>
`,
  section: ({ speaker, blocks }) =>
    `<section>\n<h2>${speaker}</h2>\n${blocks.map(blockHtml).join("\n")}\n</section>\n`,
  end: "</body>\n</html>\n",
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case "text":
      return `<p>${escaped(block.text)}</p>`
    case "thought":
      return `<p class="thought">${escaped(block.text)}</p>`
    case "image": {
      if (block.bytes === null) return `<p>[${escaped(block.label)}: its bytes are gone]</p>`
      const data = Buffer.from(block.bytes).toString("base64")
      return `<img alt="${escaped(block.label)}" src="data:${escaped(block.mediaType)};base64,${data}">`
    }
    case "call": {
      const pres = [block.input, block.output ?? ""].filter((text) => text !== "")
      const head = `<p><strong>${escaped(block.name)}</strong> (${escaped(block.state)})</p>`
      return [head, ...pres.map((text) => `<pre>${escaped(text)}</pre>`)].join("\n")
    }
  }
}
