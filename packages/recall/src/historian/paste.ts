/**
 * Where a message holds code, a log, a table or a mail that nobody put between fences: runs of lines that look like it, with
 * the comments and the odd lines among them. What stands there is nobody's own words, however much a comment sounds like a rule.
 */
import { isPasted } from "./standing.ts"

export interface Passage {
  readonly text: string
  readonly pasted: boolean
}

/** A single such line may be a sentence that names code. */
const linesMin = 3
/** An odd line belongs to what stands around it where two of so many lines before and behind it look like code. */
const around = 3

export function passagesOf(text: string): readonly Passage[] {
  const lines = text.split("\n")
  const marked = markedIn(lines)
  const passages: { lines: string[]; pasted: boolean }[] = []
  for (const [at, line] of lines.entries()) {
    const last = passages.at(-1)
    const pasted = line.trim() === "" ? (last?.pasted ?? false) : marked[at] === true
    if (last?.pasted === pasted) last.lines.push(line)
    else passages.push({ lines: [line], pasted })
  }
  return passages.map(({ lines: own, pasted }) => ({ text: own.join("\n"), pasted }))
}

function markedIn(lines: readonly string[]): readonly boolean[] {
  const marked = lines.map(() => false)
  const spoken = lines.flatMap((line, at) => (line.trim() === "" ? [] : [at]))
  const shown = spoken.map((at) => lines[at] ?? "")
  const code = shown.map(() => false)
  const own = spoken.map((at) => alone(lines, at))
  for (const signs of [codeIn, alikeIn, diffIn, mailIn])
    for (const [n, is] of signs(shown, own).entries()) code[n] ||= is
  const filled = code.map((is, n) => {
    const near = (from: number) =>
      code.slice(Math.max(0, from), Math.max(0, from + around)).filter(Boolean).length
    return is || (own[n] !== true && near(n - around) >= 2 && near(n + 1) >= 2)
  })
  for (let from = 0; from < filled.length;) {
    let to = from
    while (filled[to] === true) to += 1
    if (to - from >= linesMin) for (const at of spoken.slice(from, to)) marked[at] = true
    from = to + 1
  }
  return marked
}

/** A paragraph of one line stands for itself, whatever was pasted before and behind it. */
const alone = (lines: readonly string[], at: number): boolean =>
  /^\S/u.test(lines[at] ?? "") && isBlank(lines[at - 1]) && isBlank(lines[at + 1])
const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ""

/** Each line that looks like it by itself, or stands in a comment of several lines. */
function codeIn(lines: readonly string[], own: readonly boolean[]): readonly boolean[] {
  const end = lines.findLastIndex((line) => line.includes("*/"))
  let commented = false
  return lines.map((line, at) => {
    const inside = commented
    // No pattern of files, such as `src/*`, begins one.
    const opened = [...line.matchAll(/(?:^|[\s{(])\/\*/gu)].at(-1)?.index ?? -1
    const closed = line.lastIndexOf("*/")
    if (opened > closed) commented = at < end
    else if (closed >= 0) commented = false
    if (own[at] === true) return isPasted(line.trim())
    return inside || isPasted(line.trim()) || looks.some((sign) => sign.test(line))
  })
}

/** What one line alone may look like by chance, and several in a row do not. */
const looks: readonly RegExp[] = [
  // Deep below something else, and no point of a list.
  /^(?: {4}|\t)\s*(?![-*•\s]|\d+[.)])\S/u,
  // A log: a time, a level, an address, who wrote it.
  /^.{0,40}\b\d\d:\d\d:\d\d\b/u,
  /^\W?.{0,24}\b(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|ERR!)\b/u,
  /^\d{1,3}(?:\.\d{1,3}){3} /u,
  /^[\w-]+ *\| /u,
  // Traces of what failed, and tests.
  /^(?:Traceback |Caused by: |note: |thread '|\s+File "|\s*\.{3} \d+ |\s+at \S)|^(?:\w+\.)*[A-Z]\w*(?:Error|Exception)\b/u,
  /^\s*[✓✔✗✘×→●○❯⎯│┌└├]/u,
  // Listings and tables.
  /^[-dlrwx]{10}[.+@ ]/u,
  /\S\t+\S/u,
  /^(?:[^,]*[^,\s],(?=[^,\s])){3}|^(?:[^;]*[^;\s];(?=[^;\s])){3}/u,
  // What git says.
  /^(?:commit [0-9a-f]{7}|index [0-9a-f]{7}|Author: |Date: |[-+]{3} [ab/])/u,
  // Keys with their values, below others.
  /^\s+["']?[\w./-]+["']?:(?:\s|$)|^[\w./-]+:$/u,
  // Code of many languages.
  /^\s*(?:(?:let|var|val|mut|auto|int|static|public|private|protected|final|local) )*[\w.$[\]"'*&]+(?: ?[-+*/|&?:]?= |=\S)/u,
  /^\s*(?:class \w+(?:[(:]| extends | \{)|(?:elif|except|with)\b.*:$|fn \w+[(<]|func \w*\(|pub (?:fn|struct|enum|mod|use|const) |impl[ <]|(?:else|try|finally):?$|from \S+ import |self\.|print\(|echo |fi$|done$|then$|esac$|do$|@\w|\$\{?\w|"""|--)/u,
  /^\s*(?:SELECT|FROM|WHERE|AND|OR|ON|JOIN|LEFT|INNER|ORDER|GROUP|CREATE|ALTER|INSERT|UPDATE|DELETE|GRANT|REVOKE|UNION|CASE|WHEN|ELSE|END|AS|CAST|BEGIN|VALUES|SET|LANGUAGE|COMMENT|RETURN|RETURNS)\b/u,
  /[({[\\]$|^\s*[)\]}]|[\w)"'],$|\S\($|\w\(\w*\)/u,
]

/** Lines that differ by figures alone. */
function alikeIn(lines: readonly string[]): readonly boolean[] {
  const shapes = lines.map((line) => line.replaceAll(/\d+/g, "0"))
  const times = new Map<string, number>()
  for (const shape of shapes) times.set(shape, (times.get(shape) ?? 0) + 1)
  return shapes.map((shape) => (times.get(shape) ?? 0) > alikeMax)
}

const alikeMax = 3

/** Lines that were taken out and lines between, where others say that it is a diff; without that they may be points of a list. */
const diffIn = (lines: readonly string[]): readonly boolean[] => {
  const is = lines.some((line) => /^(?:@@ -\d|diff -)/u.test(line))
  return lines.map((line) => is && /^(?:-\S|[-+]\s{2}| \S)/u.test(line))
}

const header =
  /^(?:From|To|Cc|Bcc|Sent|Date|Subject|Reply-To|Von|An|Gesendet|Datum|Betreff|De|À|Envoyé|Objet|Para|Enviado|Asunto|差出人|宛先|件名): ?\S/u
const ends =
  /^(?:--|(?:best|kind|warm) regards|regards|best|cheers|sincerely|mit freundlichen|viele grüße|lg\b|mfg|cordialement|saludos)/iu

/** From the headers of a mail to its last words and the name below them, or to where the message ends but for its last line. */
function mailIn(lines: readonly string[]): readonly boolean[] {
  const inside = lines.map(() => false)
  let from = -1
  for (const [at, line] of lines.entries()) {
    const heads = header.test(line)
    if (from === -1 && heads && header.test(lines[at + 1] ?? "")) from = at
    if (from === -1) continue
    const last = at === lines.length - 1
    if (!last && (heads || !ends.test(line))) continue
    inside.fill(true, from, last ? at : at + 2)
    from = -1
  }
  return inside
}
