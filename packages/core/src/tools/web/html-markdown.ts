/**
 * HTML as Markdown, in one pass over what the parser tells and without a tree, so that time and memory grow
 * with the document and no faster. It goes piece by piece, and others have their turn in between.
 *
 * Kept are headings, paragraphs, lists, quotes, code, tables, links and images with complete addresses.
 * What nobody reads (scripts, styles, templates) is left out; nothing else is guessed to be unimportant.
 */
import { setImmediate } from "node:timers/promises"
import { Parser } from "htmlparser2"

const pieceUnits = 65_536
/** Elements inside of each other; beyond it a document is read no further. */
const depthMax = 5_000

/** Throws the reason of the signal when it is raised. */
export async function markdownOf(html: string, base: URL, signal: AbortSignal): Promise<string> {
  const writer = createWriter(base)
  const parser = new Parser({ onopentag: writer.open, ontext: writer.text, onclosetag: writer.close })
  for (let at = 0; at < html.length; at += pieceUnits) {
    parser.write(html.slice(at, at + pieceUnits))
    if (writer.depth() > depthMax) return `${writer.result()}\n\n[the rest is nested too deeply to be read]`
    await setImmediate()
    signal.throwIfAborted()
  }
  parser.end()
  return writer.result()
}

type Attributes = Readonly<Record<string, string>>
type Kind = "block" | "item" | "row"

interface Writing {
  readonly base: URL
  /** Finished blocks, each with what stands before it. */
  readonly done: string[]
  lastKind: Kind
  /** The text of the block that is being written, in pieces. */
  inline: string[]
  /** Where the text of open links begins, and where they lead. */
  readonly links: { readonly at: number; readonly href: string | null }[]
  readonly lists: { readonly ordered: boolean; count: number }[]
  /** What the next block of a list item begins with. */
  marker: string
  quotes: number
  /** Open elements whose content is left out. */
  skipped: number
  /** Of open `pre` elements; the language of the outermost. */
  preformatted: number
  language: string
  row: { cells: number; header: boolean }
  title: string | null
  hasHeading: boolean
}

const indentMax = 12
const quotesMax = 8

function createWriter(base: URL) {
  const writing: Writing = {
    base,
    done: [],
    lastKind: "block",
    inline: [],
    links: [],
    lists: [],
    marker: "",
    quotes: 0,
    skipped: 0,
    preformatted: 0,
    language: "",
    row: { cells: 0, header: false },
    title: null,
    hasHeading: false,
  }
  let depth = 0
  return {
    depth: () => depth,
    open: (name: string, attributes: Attributes) => {
      depth += 1
      if (left.has(name)) writing.skipped += 1
      else if (writing.skipped === 0) openElement(writing, name, attributes)
    },
    text: (text: string) => {
      if (writing.skipped > 0) return
      writing.inline.push(writing.preformatted > 0 ? text : text.replaceAll(/\s+/g, " "))
    },
    close: (name: string) => {
      depth -= 1
      if (left.has(name)) writing.skipped = Math.max(0, writing.skipped - 1)
      else if (writing.skipped === 0) closeElement(writing, name)
    },
    result: () => {
      flush(writing)
      const { title, hasHeading, done } = writing
      return (
        (title !== null && !hasHeading ? `# ${title}${done.length > 0 ? "\n\n" : ""}` : "") + done.join("")
      )
    },
  }
}

const left: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "object",
  "canvas",
])
const inlineNames: ReadonlySet<string> = new Set(
  "abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr a img input button select option textarea".split(
    " ",
  ),
)
const emphasis: Readonly<Record<string, string>> = {
  b: "**",
  strong: "**",
  em: "*",
  i: "*",
  del: "~~",
  s: "~~",
}

function openElement(writing: Writing, name: string, attributes: Attributes): void {
  if (writing.preformatted > 0 && name !== "pre") {
    if (name === "code" && writing.language === "") writing.language = languageOf(attributes)
    if (name === "br") writing.inline.push("\n")
    return
  }
  if (!inlineNames.has(name) && name !== "br" && name !== "td" && name !== "th") flush(writing)
  switch (name) {
    case "pre":
      writing.preformatted += 1
      if (writing.preformatted === 1) writing.language = languageOf(attributes)
      break
    case "br":
      writing.inline.push("\n")
      break
    case "hr":
      emit(writing, "---", "block")
      break
    case "ul":
    case "ol":
      writing.lists.push({
        ordered: name === "ol",
        count: Number.parseInt(attributes["start"] ?? "1", 10) || 1,
      })
      break
    case "li":
      writing.marker = markerOf(writing.lists.at(-1))
      break
    case "blockquote":
      writing.quotes += 1
      break
    case "tr":
      writing.row = { cells: 0, header: false }
      break
    case "td":
    case "th":
      writing.inline.push(writing.row.cells === 0 ? "| " : " | ")
      writing.row = { cells: writing.row.cells + 1, header: writing.row.header || name === "th" }
      break
    case "a":
      writing.links.push({ at: writing.inline.length, href: addressOf(writing, attributes["href"]) })
      break
    case "img":
      writing.inline.push(imageOf(writing, attributes))
      break
    case "code":
      writing.inline.push("`")
      break
    default:
      if (emphasis[name] !== undefined) writing.inline.push(emphasis[name])
  }
}

function closeElement(writing: Writing, name: string): void {
  if (name === "pre") return closePre(writing)
  if (writing.preformatted > 0) return
  if (name === "title") {
    writing.title ??= lineOf(writing.inline) || null
    writing.inline = []
    return
  }
  if (/^h[1-6]$/.test(name)) return closeHeading(writing, Number(name[1]))
  if (name === "a") return closeLink(writing)
  if (name === "code") return void writing.inline.push("`")
  if (emphasis[name] !== undefined) {
    if (writing.inline.at(-1) === emphasis[name]) writing.inline.pop()
    else writing.inline.push(emphasis[name])
    return
  }
  if (inlineNames.has(name) || name === "td" || name === "th" || name === "br") return
  if (name === "tr") return closeRow(writing)
  flush(writing)
  if (name === "ul" || name === "ol") writing.lists.pop()
  if (name === "li") writing.marker = ""
  if (name === "blockquote") writing.quotes -= 1
}

function closePre(writing: Writing): void {
  if (writing.preformatted === 0) return
  writing.preformatted -= 1
  if (writing.preformatted > 0) return
  const code = writing.inline.join("").replace(/^\n/, "").trimEnd()
  writing.inline = []
  const longest = [...code.matchAll(/`{3,}/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = "`".repeat(longest + 1)
  if (code !== "") emit(writing, `${fence}${writing.language}\n${code}\n${fence}`, "block")
}

function closeHeading(writing: Writing, level: number): void {
  const text = lineOf(writing.inline)
  writing.inline = []
  if (text === "") return
  if (level === 1) writing.hasHeading = true
  emit(writing, `${"#".repeat(level)} ${text}`, "block")
}

function closeLink(writing: Writing): void {
  const link = writing.links.pop()
  // A block inside of the link has been written already.
  if (link === undefined || link.at > writing.inline.length) return
  const text = writing.inline.splice(link.at).join("")
  const shown = lineOf([text])
  writing.inline.push(link.href === null || shown === "" ? text : `[${shown}](${link.href})`)
}

function closeRow(writing: Writing): void {
  const { cells, header } = writing.row
  const text = lineOf(writing.inline)
  writing.inline = []
  if (/^[|\s]*$/.test(text)) return
  emit(writing, cells > 0 && text.startsWith("|") ? `${text} |` : text, "row")
  if (header && text.startsWith("|")) emit(writing, `|${" --- |".repeat(cells)}`, "row")
  writing.row = { cells: 0, header: false }
}

/** Ends the block that is being written. */
function flush(writing: Writing): void {
  const text = writing.inline
    .join("")
    .split("\n")
    .map((line) => lineOf([line]))
    .join("\n")
    .trim()
  writing.inline = []
  if (/^[|\s]*$/.test(text)) return
  emit(writing, text, writing.lists.length > 0 ? "item" : "block")
}

/** Puts a block below the others; those of one list or table stand close. */
function emit(writing: Writing, text: string, kind: Kind): void {
  const { lists, quotes, marker, done, lastKind } = writing
  const quote = "> ".repeat(Math.min(quotes, quotesMax))
  const indent = "  ".repeat(Math.min(lists.length, indentMax))
  const first = marker === "" ? indent : indent.slice(2) + marker
  const lines = text
    .split("\n")
    .map((line, index) => (quote + (index === 0 ? first : indent) + line).trimEnd())
  const close = kind !== "block" && kind === lastKind
  done.push((done.length === 0 ? "" : close ? "\n" : "\n\n") + lines.join("\n"))
  writing.marker = ""
  writing.lastKind = kind
}

const lineOf = (pieces: readonly string[]): string => pieces.join("").replaceAll(/\s+/g, " ").trim()

function markerOf(list: Writing["lists"][number] | undefined): string {
  if (list === undefined || !list.ordered) return "- "
  const { count } = list
  list.count += 1
  return `${count}. `
}

const languageOf = (attributes: Attributes): string =>
  /\blang(?:uage)?-([\w+#-]+)/.exec(attributes["class"] ?? "")?.[1] ?? ""

/** Complete, or null where a link leads nowhere else. */
function addressOf({ base }: Writing, href: string | undefined): string | null {
  if (href === undefined || href.startsWith("#")) return null
  const url = URL.parse(href, base)
  return url !== null && /^(?:https?|mailto):$/.test(url.protocol) ? url.href : null
}

function imageOf(writing: Writing, attributes: Attributes): string {
  const address = addressOf(writing, attributes["src"])
  const alt = lineOf([attributes["alt"] ?? ""])
  return address === null ? alt : `![${alt}](${address})`
}
