/**
 * Front matter: the settings between two lines of dashes at the head of a Markdown file.
 *
 * What people write there is read as YAML writes it (texts, lists, block texts), and nothing beyond:
 * no anchors, tags or nested maps, so that no file can grow when it is read. A colon in a plain
 * text is part of the text, as other programs that read such files have it.
 */
import { Result } from "effect"

export type FrontMatterValue = string | readonly string[]

export interface FrontMatter {
  readonly fields: ReadonlyMap<string, FrontMatterValue>
  /** What follows. */
  readonly body: string
}

export interface FrontMatterFault {
  /** Counts from 1. */
  readonly line: number
  readonly message: string
}

type Read<A> = Result.Result<A, FrontMatterFault>

const charactersMax = 16_384
const fieldsMax = 64
const fence = /^---[ \t]*$/

export function readFrontMatter(text: string): Read<FrontMatter> {
  const lines = text
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .split("\n")
  if (!fence.test(lines[0] ?? "")) return Result.succeed({ fields: new Map(), body: text })
  const end = lines.findIndex((line, at) => at > 0 && fence.test(line))
  if (end === -1) return wrong(1, "The front matter is not closed. End it with a line of three dashes.")
  const head = lines.slice(1, end)
  if (head.join("\n").length > charactersMax)
    return wrong(1, `The front matter is longer than ${charactersMax} characters. Shorten it.`)
  return Result.map(readFields(head), (fields) => ({ fields, body: lines.slice(end + 1).join("\n") }))
}

const wrong = (line: number, message: string) => Result.fail({ line, message })

function readFields(lines: readonly string[]): Read<ReadonlyMap<string, FrontMatterValue>> {
  const fields = new Map<string, FrontMatterValue>()
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ""
    if (isBlank(line)) {
      at += 1
      continue
    }
    const number = at + 2
    const found = /^([A-Za-z][\w-]*):(?:[ \t]+(.*)|[ \t]*)$/.exec(line)
    if (found === null) return wrong(number, `A line such as "description: …" is expected here.`)
    const [, key = "", rest = ""] = found
    if (fields.has(key)) return wrong(number, `${key} is set twice. Keep one of them.`)
    if (fields.size === fieldsMax) return wrong(number, `There are more than ${fieldsMax} fields.`)
    const below = linesBelow(lines, at + 1)
    const value = readValue(rest.trim(), below)
    if (value === null)
      return wrong(
        number,
        `${key} must be a text, or a list such as [one, two]; it holds no fields of its own.`,
      )
    fields.set(key, value)
    at += 1 + below.length
  }
  return Result.succeed(fields)
}

const isBlank = (line: string): boolean => /^\s*(#.*)?$/.test(line)

/** Those that belong to the line before: indented ones, items of a list, and blank ones among them. */
function linesBelow(lines: readonly string[], from: number): readonly string[] {
  const rest = lines.slice(from)
  const end = rest.findIndex((line) => line.trim() !== "" && !/^(\s|-(\s|$))/.test(line))
  return end === -1 ? rest : rest.slice(0, end)
}

function readValue(rest: string, below: readonly string[]): FrontMatterValue | null {
  const given = below.filter((line) => line.trim() !== "")
  if (/^[|>][+-]?\d*$/.test(rest)) return blockText(below, rest.startsWith("|") ? "\n" : " ")
  if (rest.startsWith("[") && rest.endsWith("]")) return inlineItems(rest.slice(1, -1))
  if (rest === "" && given.length > 0 && given.every((line) => /^\s*-(\s|$)/.test(line)))
    return given.map((line) => scalar(line.replace(/^\s*-\s*/, "")))
  if (rest === "" && given.some((line) => /^\s+[A-Za-z][\w-]*:(\s|$)/.test(line))) return null
  return scalar([rest, ...given.map((line) => line.trim())].join(" ").trim())
}

/** Indentation of the first line counts for all. */
function blockText(lines: readonly string[], between: string): string {
  const indent = /^\s*/.exec(lines.find((line) => line.trim() !== "") ?? "")?.[0].length ?? 0
  return lines
    .map((line) => line.slice(indent))
    .join(between)
    .trim()
}

/** `a, "b, c"` in its items; commas in quotes or brackets belong to their item. */
export function inlineItems(text: string): readonly string[] {
  const items = text.match(/(?:"(?:\\.|[^"\\])*"|'(?:''|[^'])*'|\([^()]*\)|[^,"'(]|["'(])+/g) ?? []
  return items.map(scalar).filter((item) => item !== "")
}

function scalar(text: string): string {
  const plain = text.trim()
  if (/^"(?:\\.|[^"\\])*"$/.test(plain)) return unquoted(plain)
  if (/^'(?:''|[^'])*'$/.test(plain)) return plain.slice(1, -1).replaceAll("''", "'")
  return plain.replace(/\s+#.*$/, "")
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return text.slice(1, -1) // an escape that JSON does not know is left as it stands
  }
}
