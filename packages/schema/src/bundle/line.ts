/**
 * A bundle: one Session as one file, to be carried to another store (ST4). Newline-delimited JSON, UTF-8:
 *
 *   {"bundle":"holdfast-session","version":1,"session":"ses_…"}
 *   {"event":1,"type":"session.created","version":1,"time":…,"data":{…}}
 *   {"blob":"<sha256>","size":5,"at":0,"data":"<base64>"}    pieces of a blob, in order, in front of
 *   {"event":2,"type":"prompt.admitted",…}                   the first event that names it
 *   {"events":2,"blobs":1,"absent":[],"masked":0,"sha256":"<of every byte before this line>"}
 *
 * There is no path in it, so that none can lead anywhere: blobs are known by their hash alone. A line
 * holds exactly these fields; anything else is refused, as is a version that this program does not know.
 * Nothing here needs effect: the writer of the store reads lines too.
 */

const bundleName = "holdfast-session"
const bundleVersion = 1

/** Bytes of a line, its end included. */
export const lineBytesMax = 32 * 1_048_576
/** Bytes of a piece of a blob, before base64. */
export const blobPieceBytes = 1_048_576
export const blobBytesMax = 128 * 1_048_576
/** Bytes of a bundle, once it is expanded. */
export const bundleBytesMax = 4 * 1_073_741_824
export const bundleEventsMax = 2_000_000
const absentMax = 10_000
/** Objects and lists within each other. */
const nestingMax = 200

export interface BundleHeader {
  readonly kind: "header"
  readonly session: string
}
export interface BundleEvent {
  readonly kind: "event"
  readonly seq: number
  readonly type: string
  readonly version: number
  readonly time: number
  /** Everything of the fact but its type. */
  readonly data: { readonly [name: string]: unknown }
}
export interface BlobPiece {
  readonly kind: "blob"
  readonly hash: string
  /** Bytes of the whole blob. */
  readonly size: number
  /** Where in it this piece begins. */
  readonly at: number
  readonly data: string
}
export interface BundleEnd {
  readonly kind: "end"
  readonly events: number
  readonly blobs: number
  /** Blobs that facts name and that could not be brought along. */
  readonly absent: readonly string[]
  /** Events in which a known secret was masked on the way out. */
  readonly masked: number
  readonly sha256: string
}
export type BundleLine = BundleHeader | BundleEvent | BlobPiece | BundleEnd

export const headerLine = (session: string): string =>
  `${JSON.stringify({ bundle: bundleName, version: bundleVersion, session })}\n`

/** `data` is the JSON that the store holds, taken over as it is. */
export const eventLine = (event: Omit<BundleEvent, "kind" | "data"> & { readonly data: string }): string => {
  const { seq, type, version, time, data } = event
  return `${JSON.stringify({ event: seq, type, version, time }).slice(0, -1)},"data":${data}}\n`
}

export const blobLine = ({ hash, size, at, data }: Omit<BlobPiece, "kind">): string =>
  `${JSON.stringify({ blob: hash, size, at, data })}\n`

export const endLine = ({ events, blobs, absent, masked, sha256 }: Omit<BundleEnd, "kind">): string =>
  `${JSON.stringify({ events, blobs, absent, masked, sha256 })}\n`

/** The line, or what is wrong with it as the end of a sentence. */
export function readLine(text: string): BundleLine | string {
  if (isTooDeep(text)) return `is nested deeper than ${nestingMax} levels`
  const value = parsed(text)
  if (!isObject(value)) return "is no JSON object"
  if ("bundle" in value) return readHeader(value)
  if ("event" in value) return readEvent(value)
  if ("blob" in value) return readBlob(value)
  return readEnd(value)
}

type Fields = { readonly [name: string]: unknown }

function readHeader(value: Fields): BundleHeader | string {
  const { bundle, version, session } = value
  if (bundle !== bundleName) return "is not the beginning of a bundle of Holdfast"
  if (!isCount(version)) return "names no version"
  if (version !== bundleVersion)
    return `is of version ${version}, and this program reads version ${bundleVersion}`
  if (!hasOnly(value, "bundle", "version", "session")) return "has a field that nobody knows"
  return typeof session === "string" ? { kind: "header", session } : "names no Session"
}

function readEvent(value: Fields): BundleEvent | string {
  const { event: seq, type, version, time, data } = value
  const isWhole =
    hasOnly(value, "event", "type", "version", "time", "data") &&
    isCount(seq) &&
    typeof type === "string" &&
    isCount(version) &&
    isCount(time) &&
    isObject(data) &&
    !("type" in data)
  return isWhole ? { kind: "event", seq, type, version, time, data } : "is not a whole event"
}

function readBlob(value: Fields): BlobPiece | string {
  const { blob: hash, size, at, data } = value
  const isWhole =
    hasOnly(value, "blob", "size", "at", "data") &&
    isHash(hash) &&
    isCount(size) &&
    isCount(at) &&
    typeof data === "string"
  if (!isWhole) return "is not a whole piece of a blob"
  return size > blobBytesMax
    ? `holds a blob of more than ${blobBytesMax} bytes`
    : { kind: "blob", hash, size, at, data }
}

function readEnd(value: Fields): BundleEnd | string {
  const { events, blobs, absent, masked, sha256 } = value
  const isWhole =
    hasOnly(value, "events", "blobs", "absent", "masked", "sha256") &&
    isCount(events) &&
    isCount(blobs) &&
    isCount(masked) &&
    isHash(sha256) &&
    Array.isArray(absent) &&
    absent.length <= absentMax &&
    absent.every(isHash)
  return isWhole ? { kind: "end", events, blobs, absent, masked, sha256 } : "is none that a bundle has"
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const isHash = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/.test(value)

const hasOnly = (value: Fields, ...names: readonly string[]): boolean =>
  Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name))

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Only a syntax error throws here.
    return undefined
  }
}

/** Before it is parsed: whoever walks through a value later does so by recursion. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) at = endOfString(text, at)
    else if (character === openBrace || character === openBracket) depth += 1
    else if (character === closeBrace || character === closeBracket) depth -= 1
    if (depth > nestingMax) return true
  }
  return false
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 123, 125, 91, 93]

/** The quote that ends the string which begins here; the end of the text where none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return text.length
}
