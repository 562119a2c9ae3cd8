/**
 * Found lines: reads what ripgrep prints for lines that match, piece by piece.
 *
 *   path NUL number ":" column ":" text LF     a line of a match
 *   path NUL number "-" text LF                a line around it
 *
 * Lines may be of any length; of a long one only a window around its match is kept. Bytes that are
 * no UTF-8 become U+FFFD.
 */

export interface FoundLine {
  readonly number: number
  readonly matches: boolean
  /** Of the whole line. */
  readonly bytes: number
}

/** What is shown of a line. */
export interface LineText {
  readonly text: string
  /** Whether there is more of it. */
  readonly cut: boolean
}

/** Called with each line; its text is made when it is asked for, and only then. */
export type OnLine = (path: string, line: FoundLine, text: () => LineText) => void

export interface LineReader {
  readonly take: (bytes: Buffer) => void
  /** What stands behind the last line and is none, such as a remark on a binary file. */
  readonly remark: () => string
}

/** So much of a line is shown, and so much of that before its match. */
export const windowBytes = 500
const beforeMatchBytes = 100
/** What is not ended yet is kept up to here; a line that is longer is read through its window. */
const unendedBytesMax = 65_536

const none = Buffer.alloc(0)
const nul = 0
const lineFeed = 10
const colon = 58
const hyphen = 45

export function readFoundLines(onLine: OnLine): LineReader {
  let unended = none
  let long: LongLine | null = null
  const lastPath = rememberPath()

  const emit = (path: Buffer, head: LineHead, window: Buffer, bytes: number) =>
    onLine(lastPath(path), { number: head.number, matches: head.matches, bytes }, () =>
      shownText(window, head.start, bytes),
    )
  /** Where the last whole line ends. */
  const takeLines = (bytes: Buffer): number => {
    for (let at = 0; ;) {
      const pathEnd = bytes.indexOf(nul, at)
      const head = pathEnd === -1 ? null : readHead(bytes, pathEnd + 1)
      const end = head === null ? -1 : bytes.indexOf(lineFeed, head.end)
      if (head === null || end === -1) return at
      emit(
        bytes.subarray(at, pathEnd),
        head,
        cutToWindow(bytes.subarray(head.end, end), head),
        end - head.end,
      )
      at = end + 1
    }
  }
  const takeLong = (line: LongLine, bytes: Buffer): Buffer => {
    const end = bytes.indexOf(lineFeed)
    const piece = end === -1 ? bytes : bytes.subarray(0, end)
    const missing = windowBytes - line.window.length
    const window = piece.subarray(Math.max(0, line.head.start - line.bytes))
    if (missing > 0) line.window = Buffer.concat([line.window, window.subarray(0, missing)])
    line.bytes += piece.length
    if (end === -1) return none
    emit(line.path, line.head, line.window, line.bytes)
    long = null
    return bytes.subarray(end + 1)
  }
  return {
    take(piece) {
      const bytes = long === null ? piece : takeLong(long, piece)
      if (bytes.length === 0) return
      const whole = unended.length === 0 ? bytes : Buffer.concat([unended, bytes])
      const rest = whole.subarray(takeLines(whole))
      if (rest.length > unendedBytesMax) long = beginLong(rest)
      unended = long === null ? Buffer.from(rest.subarray(-unendedBytesMax)) : none
    },
    remark: () => unended.toString(),
  }
}

/** Lines of a file follow each other; its path is made of its bytes once. */
function rememberPath(): (bytes: Buffer) => string {
  let last = none
  let path = ""
  return (bytes) => {
    if (!bytes.equals(last)) {
      last = Buffer.from(bytes)
      path = pathIn(bytes.toString())
    }
    return path
  }
}

/** Searches begin at a dot. A remark on another file may stand before it, and ends its line. */
const pathIn = (text: string): string => text.slice(text.lastIndexOf("\n./") + 1).replace(/^\.\//, "")

interface LineHead {
  readonly number: number
  readonly matches: boolean
  /** Where the window of the text begins. */
  readonly start: number
  /** Where the text begins. */
  readonly end: number
}

/** Null as long as it is not whole. */
function readHead(bytes: Buffer, from: number): LineHead | null {
  const number = readNumber(bytes, from)
  if (number === null || (bytes[number.end] !== colon && bytes[number.end] !== hyphen)) return null
  if (bytes[number.end] === hyphen)
    return { number: number.value, matches: false, start: 0, end: number.end + 1 }
  const column = readNumber(bytes, number.end + 1)
  if (column === null) return null
  // A match near the beginning is shown with all that stands before it.
  const start = column.value <= windowBytes - beforeMatchBytes ? 0 : column.value - 1 - beforeMatchBytes
  return { number: number.value, matches: true, start, end: column.end + 1 }
}

/** Digits, and where they end; null where nothing follows them yet. */
function readNumber(bytes: Buffer, from: number): { readonly value: number; readonly end: number } | null {
  let value = 0
  for (let at = from; at < bytes.length; at++) {
    const digit = (bytes[at] ?? 0) - 48
    if (digit < 0 || digit > 9) return { value, end: at }
    value = value * 10 + digit
  }
  return null
}

interface LongLine {
  readonly path: Buffer
  readonly head: LineHead
  window: Buffer
  bytes: number
}

function beginLong(bytes: Buffer): LongLine | null {
  const pathEnd = bytes.indexOf(nul)
  const head = pathEnd === -1 ? null : readHead(bytes, pathEnd + 1)
  if (head === null) return null
  const text = bytes.subarray(head.end)
  return {
    path: Buffer.from(bytes.subarray(0, pathEnd)),
    head,
    window: Buffer.from(cutToWindow(text, head)),
    bytes: text.length,
  }
}

const cutToWindow = (text: Buffer, { start }: LineHead): Buffer => text.subarray(start, start + windowBytes)

/** No character is shown in parts. */
function shownText(window: Buffer, start: number, bytes: number): LineText {
  const cutBefore = start > 0
  const cutBehind = start + window.length < bytes
  const from = cutBefore ? window.findIndex((byte) => !isContinuation(byte)) : 0
  const text = window.toString("utf8", Math.max(0, from), cutBehind ? wholeCharacters(window) : window.length)
  const shown = cutBehind ? `${text}…` : text.replace(/\r$/, "")
  return { text: cutBefore ? `…${shown}` : shown, cut: cutBefore || cutBehind }
}

function wholeCharacters(bytes: Buffer): number {
  let at = bytes.length - 1
  while (at > bytes.length - 4 && isContinuation(bytes[at])) at -= 1
  const lead = bytes[at] ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return at + length > bytes.length ? at : bytes.length
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
