/** A Session as Markdown. What tools were given and said stands in fences that nothing in it can close. */
import type { Block, PageForm } from "./page.ts"

export const markdownPage: PageForm = {
  begin: (title, facts) =>
    `# ${oneLine(title)}\n\n${facts.map(([name, value]) => `- ${name}: ${oneLine(value)}`).join("\n")}\n`,
  section: ({ speaker, blocks }) => `\n## ${speaker}\n\n${blocks.map(blockText).join("\n\n")}\n`,
  end: "",
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "text":
      return block.text.trimEnd()
    case "thought":
      return block.text.trimEnd().replaceAll(/^/gm, "> ")
    case "image":
      return `[image: ${oneLine(block.label)}]`
    case "call": {
      const fences = [block.input, block.output ?? ""].filter((text) => text !== "").map(fenced)
      return [`**${oneLine(block.name)}** (${block.state})`, ...fences].join("\n\n")
    }
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text.trimEnd()}\n${fence}`
}
