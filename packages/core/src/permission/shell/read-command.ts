/**
 * Reading a command: from the text of a command line to the simple commands and the redirections in
 * it, in the order in which they stand.
 *
 * The parser is not the shell. Whatever is not known for certain to mean the same to both, or changes
 * what other words mean (assignments, functions, `eval`), makes the whole text one that cannot be
 * taken apart. Kinds of nodes are listed; one that is not listed is not understood.
 */
import type { Node } from "web-tree-sitter"
import { wordOf } from "./node-word.ts"
import type { Word } from "./words.ts"
import { unwrap } from "./wrappers.ts"

export interface CommandReading {
  readonly steps: readonly Step[]
  /** Whether the steps are all that it does. */
  readonly complete: boolean
}

export type Step =
  | { readonly kind: "command"; readonly words: readonly Word[] }
  | { readonly kind: "file"; readonly action: "read" | "write"; readonly path: string }

const lengthMax = 20_000
const stepsMax = 500
/** Of commands in the texts of other commands, as in `sh -c`. */
const depthMax = 5

/** `parse` gives null where a text has no tree. */
export function readCommand(
  text: string,
  home: string,
  parse: (text: string, use: (root: Node) => void) => unknown,
): CommandReading {
  const steps: Step[] = []
  let complete = true
  const notUnderstood = () => void (complete = false)
  const read = (source: string, depth: number) => {
    if (!isPlain(source) || depth > depthMax) return notUnderstood()
    const used = parse(source, (root) => {
      if (root.hasError) notUnderstood()
      readNode(root, { source, loops: 0 })
      return true
    })
    if (used === null) notUnderstood()

    function readNode(node: Node, around: Around): void {
      if (steps.length > stepsMax) return notUnderstood()
      const { type } = node
      if (type === "command") return readSimple(node, around)
      if (type === "test_command") return readTest(node, around)
      if (type === "file_redirect") return readRedirect(node, around)
      if (!passed.has(type) && !containers.has(type) && !isUnderstood(node, around.source)) notUnderstood()
      const inner = loops.has(type) ? { ...around, loops: around.loops + 1 } : around
      for (const child of node.namedChildren) readNode(child, inner)
    }

    function readSimple(node: Node, around: Around): void {
      const words: Word[] = []
      for (const child of node.namedChildren) {
        if (child.type === "file_redirect" || child.type === "herestring_redirect") readNode(child, around)
        else if (child.type === "variable_assignment") readNode(child, around)
        else
          words.push(
            readWord(child.type === "command_name" ? (child.firstNamedChild ?? child) : child, around),
          )
      }
      const { commands, scripts, understood } = unwrap(words)
      if (!understood || (around.loops > 0 && commands.some(([first]) => first?.text === "cd")))
        notUnderstood()
      steps.push(...commands.map((command): Step => ({ kind: "command", words: command })))
      for (const script of scripts) read(script, depth + 1)
    }

    function readWord(node: Node, around: Around): Word {
      if (!passed.has(node.type)) readNode(node, around)
      return wordOf(node, home)
    }

    /** Only what needs no grammar of its own: `[ -f package.json ]`. */
    function readTest(node: Node, around: Around): void {
      const inside = /^\[{1,2} ([\w./ !=-]+) \]{1,2}$/.exec(node.text)?.[1]
      if (inside === undefined) {
        notUnderstood()
        for (const child of node.namedChildren) readNode(child, around)
      } else {
        const words = ["test", ...inside.split(/ +/)].map((word) => ({ text: word, literal: true }))
        steps.push({ kind: "command", words })
      }
    }

    function readRedirect(node: Node, around: Around): void {
      const [target, ...others] = node.childrenForFieldName("destination")
      const operator = node.children.find((child) => !child.isNamed)?.type ?? ""
      if (closing.has(operator) && target === undefined) return
      const action = redirections[operator]
      // A second word belongs to the command, which the grammar does not know.
      if (others.length > 0) notUnderstood()
      if (action === undefined || target === undefined) return notUnderstood()
      const word = readWord(target, around)
      if (!word.literal) return notUnderstood()
      if (operator.endsWith("&") && /^\d+-?$|^-$/.test(word.text)) return
      if (!ownStreams.has(word.text)) steps.push({ kind: "file", action, path: word.text })
    }
  }
  read(text, 0)
  return { steps, complete: complete && steps.length > 0 }
}

interface Around {
  readonly source: string
  readonly loops: number
}

/** No character, and no place of a character, that the shell and the grammar might see differently. */
function isPlain(text: string): boolean {
  if (text.length > lengthMax) return false
  if (/[^\P{C}\n\t]|[\u2028\u2029]|[^\P{Zs} ]/u.test(text)) return false
  return !/(?<![ \t])\\\n/.test(text) && !/`[^`]*\\/.test(text)
}

/** What does nothing by itself, so that only its parts count. */
const containers = new Set(
  [
    "program list pipeline compound_statement subshell do_group if_statement elif_clause else_clause",
    "while_statement case_statement case_item negated_command command_substitution process_substitution",
    "redirected_statement herestring_redirect heredoc_body string concatenation simple_expansion",
  ].flatMap((line) => line.split(" ")),
)
const loops = new Set(["while_statement", "for_statement"])

/** What holds nothing that runs. */
const passed = new Set(
  "word number raw_string string_content heredoc_content heredoc_start heredoc_end file_descriptor variable_name special_variable_name".split(
    " ",
  ),
)

const redirections: Readonly<Record<string, "read" | "write">> = {
  "<": "read",
  "<&": "read",
  ">": "write",
  ">>": "write",
  ">|": "write",
  ">&": "write",
  "&>": "write",
  "&>>": "write",
}
const closing = new Set(["<&-", ">&-"])
const ownStreams = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"])

/** Kinds of nodes of which only the plainest form is. */
function isUnderstood(node: Node, source: string): boolean {
  switch (node.type) {
    case "ansi_c_string":
    case "extglob_pattern":
      return node.namedChildCount === 0
    case "expansion":
      return /^\$\{[A-Za-z_]\w*\}$/.test(node.text)
    case "for_statement":
      // Names in capitals mean something to programs: PATH, IFS, GIT_DIR.
      return (
        node.text.startsWith("for") &&
        /^[a-z_][a-z\d_]*$/.test(node.childForFieldName("variable")?.text ?? "")
      )
    case "comment":
      return /(?:^|[\n;&|(]|(?:^|[^\\])[ \t])$/.test(source.slice(0, node.startIndex))
    case "heredoc_redirect":
      return isPlainHeredoc(node, source)
    default:
      return false
  }
}

/** The text ends at the first line that is its mark, for the shell as for the grammar. */
function isPlainHeredoc(node: Node, source: string): boolean {
  const [start, end] = ["heredoc_start", "heredoc_end"].map((type) =>
    node.namedChildren.find((child) => child.type === type),
  )
  const mark = /^(['"]?)([A-Za-z_]\w*)\1$/.exec(start?.text ?? "")?.[2]
  if (mark === undefined || start === undefined || end === undefined) return false
  if (node.childrenForFieldName("argument").length > 0) return false
  const body = node.namedChildren.find((child) => child.type === "heredoc_body")
  if (mark === start.text && body !== undefined && !isPlainBody(body)) return false
  const lines = source.split("\n")
  const first = lines.findIndex((line, row) => row > start.startPosition.row && line === mark)
  const isOnly = lines[start.startPosition.row]?.split("<<").length === 2
  return (
    isOnly && node.text.startsWith("<<") && !node.text.startsWith("<<-") && first === end.startPosition.row
  )
}

/** The shell expands it; what the grammar does not see of that must not be there. */
function isPlainBody(body: Node): boolean {
  const substitutions = body.namedChildren.filter((child) => child.type === "command_substitution")
  return !/`|\$\{|\$\(\(/.test(body.text) && body.text.split("$(").length - 1 <= substitutions.length
}
