/**
 * Bound: the one limit every tool settlement passes (TO1, TO2).
 *
 * Pure and linear in the length of the text, so that a 50 MB line costs one scan and no more.
 * The result is legal everywhere it travels: well-formed UTF-16 and free of NUL.
 *
 *   TO1  Lines or UTF-8 bytes, whichever limit is reached first; the marker counts too.
 *   TO2  Beginning and end stay, no code point is split, one marker line says what is left out.
 *
 * A text within the limits comes back unchanged, hence bounding twice is bounding once.
 */

export interface OutputLimits {
  readonly linesMax: number
  readonly bytesMax: number
}

export const outputLimitsDefault: OutputLimits = { linesMax: 2_000, bytesMax: 51_200 }

/** What was dropped before the text arrived here, so that totals stay true. */
export interface Omission {
  readonly lines: number
  readonly bytes: number
}

const omissionNone: Omission = { lines: 0, bytes: 0 }

export interface Truncation {
  readonly linesTotal: number
  readonly bytesTotal: number
  readonly linesKept: number
  readonly bytesKept: number
}

export interface BoundedOutput {
  readonly text: string
  /** Null when nothing at all is left out, here or earlier. */
  readonly truncated: Truncation | null
}

/** Whether a text is shown as it is. */
export function fitsLimits(text: string, { linesMax, bytesMax }: OutputLimits): boolean {
  if (text.length > bytesMax) return false
  const legal = legalText(text)
  return countLines(legal) <= linesMax && Buffer.byteLength(legal) <= bytesMax
}

/** Shortens a text to the limits; `earlier` adds what its maker had left out already, `note` says where it is. */
export function boundOutput(
  text: string,
  limits: OutputLimits = outputLimitsDefault,
  earlier: Omission = omissionNone,
  note = "",
): BoundedOutput {
  const legal = legalText(text)
  const lines = countLines(legal)
  const bytes = Buffer.byteLength(legal)
  const total = { lines: lines + earlier.lines, bytes: bytes + earlier.bytes }
  if (lines <= limits.linesMax && bytes <= limits.bytesMax) {
    const whole = total.lines === lines && total.bytes === bytes
    return { text: legal, truncated: whole ? null : truncation(total, { lines, bytes }) }
  }
  const { head, tail } = cutEnds(legal, limits, total, note)
  const kept = {
    lines: keptLines(legal, head, tail),
    bytes: Buffer.byteLength(head) + Buffer.byteLength(tail),
  }
  const marker = markerLine(total, kept, note)
  return { text: joinEnds(head, marker, tail, limits), truncated: truncation(total, kept) }
}

/** Bounds a text and puts a last line under it that never falls victim to the limit. */
export function boundWithEnding(
  text: string,
  ending: string,
  limits: OutputLimits = outputLimitsDefault,
  earlier: Omission = omissionNone,
  note = "",
): BoundedOutput {
  const room = roomAbove(ending, limits)
  if (room.linesMax < 0 || room.bytesMax < 0) return boundOutput(ending, limits, earlier)
  const bounded = boundOutput(text, room, earlier, note)
  const gap = bounded.text === "" || bounded.text.endsWith("\n") ? "" : "\n"
  return { text: bounded.text + gap + ending, truncated: bounded.truncated }
}

/** What is left of the limits above a last line. */
export const roomAbove = (ending: string, { linesMax, bytesMax }: OutputLimits): OutputLimits => ({
  linesMax: linesMax - 1,
  bytesMax: bytesMax - Buffer.byteLength(ending) - 1,
})

/** Lines as a reader counts them: a final newline ends the last line and opens none. */
export function countLines(text: string): number {
  if (text === "") return 0
  return countNewlines(text) + (text.endsWith("\n") ? 0 : 1)
}

export function countNewlines(text: string): number {
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1
  return count
}

function legalText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", "\uFFFD") : wellFormed
}

/** Lines of which at least a part is kept; a line cut in two counts once. */
function keptLines(text: string, head: string, tail: string): number {
  const newlines = countNewlines(text) - countNewlines(head) - countNewlines(tail)
  const lastLineLost = tail === "" && !text.endsWith("\n") ? 1 : 0
  return Math.max(head === "" ? 0 : 1, countLines(text) - newlines - lastLineLost)
}

export function truncation(total: Omission, kept: Omission): Truncation {
  return {
    linesTotal: total.lines,
    bytesTotal: total.bytes,
    linesKept: kept.lines,
    bytesKept: kept.bytes,
  }
}

function markerLine(total: Omission, kept: Omission, note: string): string {
  const lines = total.lines - kept.lines
  const bytes = total.bytes - kept.bytes
  return `[left out here: ${lines} of ${total.lines} lines, ${bytes} of ${total.bytes} bytes${note}]`
}

interface Ends {
  readonly head: string
  readonly tail: string
}

function cutEnds(text: string, limits: OutputLimits, total: Omission, note: string): Ends {
  // The widest marker this text can get, with a newline on each side.
  const reserved = Buffer.byteLength(markerLine(total, omissionNone, note)) + 2
  const bytes = limits.bytesMax - reserved
  const lines = limits.linesMax - 1
  if (bytes <= 0 || lines <= 0) return { head: "", tail: "" }
  const head = cutHead(text, Math.ceil(lines / 2), Math.ceil(bytes / 2))
  // What the head leaves unused goes to the end, where the outcome of most commands stands.
  const tail = cutTail(text.slice(head.length), lines - countLines(head), bytes - Buffer.byteLength(head))
  return { head, tail }
}

function cutHead(text: string, linesMax: number, bytesMax: number): string {
  // One UTF-16 unit is at least one byte, so bytesMax units hold every candidate.
  const buffer = Buffer.from(wholePairs(text.slice(0, bytesMax), "end"))
  let end = Math.min(bytesMax, buffer.length)
  while (end < buffer.length && isContinuation(buffer[end])) end -= 1
  const fits = buffer.toString("utf8", 0, end)
  const byLines = fits.slice(0, nthNewline(fits, linesMax) + 1 || fits.length)
  if (byLines.length < fits.length) return byLines
  const boundary = fits.lastIndexOf("\n") + 1
  return boundary * 2 >= fits.length ? fits.slice(0, boundary) : fits
}

function cutTail(text: string, linesMax: number, bytesMax: number): string {
  if (linesMax <= 0 || bytesMax <= 0) return ""
  const buffer = Buffer.from(wholePairs(text.slice(-bytesMax), "start"))
  let start = Math.max(0, buffer.length - bytesMax)
  while (start < buffer.length && isContinuation(buffer[start])) start += 1
  const fits = buffer.toString("utf8", start)
  const from = lastLinesStart(fits, linesMax)
  if (from > 0) return fits.slice(from)
  const boundary = fits.indexOf("\n") + 1
  return boundary > 0 && boundary < fits.length && boundary * 2 <= fits.length ? fits.slice(boundary) : fits
}

function joinEnds(head: string, marker: string, tail: string, limits: OutputLimits): string {
  if (limits.linesMax < 1) return ""
  if (head === "" && tail === "") return marker.slice(0, Math.max(0, limits.bytesMax))
  const above = head === "" || head.endsWith("\n") ? head : `${head}\n`
  return tail === "" ? above + marker : `${above}${marker}\n${tail}`
}

/** Drops half a surrogate pair that slicing by units left at one side. */
function wholePairs(text: string, side: "start" | "end"): string {
  const unit = side === "end" ? text.charCodeAt(text.length - 1) : text.charCodeAt(0)
  if (side === "end") return unit >= 0xd800 && unit <= 0xdbff ? text.slice(0, -1) : text
  return unit >= 0xdc00 && unit <= 0xdfff ? text.slice(1) : text
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** Index of the n-th newline, or -1 when there are fewer. */
function nthNewline(text: string, n: number): number {
  let at = -1
  for (let seen = 0; seen < n; seen += 1) {
    at = text.indexOf("\n", at + 1)
    if (at === -1) return -1
  }
  return at
}

/** Where the last n lines begin; 0 when the text has no more than n. */
function lastLinesStart(text: string, n: number): number {
  let at = text.endsWith("\n") ? text.length - 1 : text.length
  for (let seen = 0; seen < n; seen += 1) {
    if (at === 0) return 0
    at = text.lastIndexOf("\n", at - 1)
    if (at === -1) return 0
  }
  return at + 1
}
