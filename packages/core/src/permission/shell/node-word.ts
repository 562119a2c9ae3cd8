/**
 * The word that a node of the grammar stands for: its text without quotes, or, where the shell will
 * put something else in its place, its source.
 */
import type { Node } from "web-tree-sitter"
import { expandedWord, literalWord, type Word } from "./words.ts"

/** `home` is what stands for `~`. */
export function wordOf(node: Node, home: string): Word {
  const text = textOf(node)
  if (text === null) return expandedWord(node.text)
  return node.type === "word" || node.type === "concatenation"
    ? withHome(node, text, home)
    : literalWord(text)
}

/** Null where the shell expands it. */
function textOf(node: Node): string | null {
  switch (node.type) {
    case "word":
      return /(?<!\\)(?:\\\\)*[*?[\]]/.test(node.text) || braces.test(node.text)
        ? null
        : node.text.replaceAll(/\\([^])/g, "$1")
    case "number":
      return node.namedChildCount === 0 ? node.text : null
    case "raw_string":
      return node.text.slice(1, -1)
    case "string":
      return node.namedChildren.every((child) => child.type === "string_content") &&
        !node.text.includes("\\\n")
        ? node.text.slice(1, -1).replaceAll(/\\([$`"\\])/g, "$1")
        : null
    case "concatenation":
      return joined(node)
    default:
      return null
  }
}

function joined(node: Node): string | null {
  const parts = node.namedChildren.map(textOf)
  return braces.test(node.text) || parts.includes(null) ? null : parts.join("")
}

/** Alternatives or a range; braces without them are letters, which `find` and `xargs` replace. */
const braces = /\{[^]*(?:,|\.\.)[^]*\}/

/** The shell takes a tilde that begins a word for a home directory. */
function withHome(node: Node, text: string, home: string): Word {
  if (!node.text.startsWith("~")) return literalWord(text)
  return text === "~" || text.startsWith("~/") ? literalWord(home + text.slice(1)) : expandedWord(node.text)
}
