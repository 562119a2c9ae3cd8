/**
 * Writes a bundle (ST4): lines of text, one after another, from a log that is read as it is needed.
 *
 * The same log gives the same bytes. Known secrets never leave (AU1): an event that holds one is masked,
 * a blob that holds one stays behind; the last line says how many of them there are.
 */
import { createHash } from "node:crypto"
import { factVersions } from "@holdfast/schema/fact/version"
import type { Fact } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import {
  blobBytesMax,
  blobLine,
  blobPieceBytes,
  endLine,
  eventLine,
  headerLine,
  lineBytesMax,
} from "@holdfast/schema/bundle/line"
import { blobsNamedBy } from "@holdfast/schema/bundle/named-blobs"

/** One event of the log; `data` is the JSON of all of the fact but its type. */
export interface BundleRecord {
  readonly seq: number
  readonly version: number
  readonly time: number
  readonly fact: Fact
  readonly data: string
}

export interface BundleSource {
  readonly session: SessionId
  /** From sequence 1 on, without a gap. */
  readonly records: Iterable<BundleRecord> | AsyncIterable<BundleRecord>
  /** Null where there are no such bytes. */
  readonly blob: (hash: string) => Promise<Uint8Array | null> | Uint8Array | null
  /** Known secrets are masked in a text; left out, none are known. */
  readonly masked?: (text: string) => string
}

/** A fact as a record of today's version: for a log that was made elsewhere and never stored. */
export function bundleRecord(seq: number, time: number, fact: Fact): BundleRecord {
  const { type, ...fields } = fact
  return { seq, version: factVersions[type], time, fact, data: JSON.stringify(fields) }
}

export async function* writeBundle(source: BundleSource): AsyncGenerator<Uint8Array, void, undefined> {
  const { masked = (text) => text } = source
  const digest = createHash("sha256")
  const counts = { events: 0, masked: 0 }
  const met = new Set<string>()
  const brought = new Set<string>()
  const absent = new Set<string>()
  const told = (line: string): Uint8Array => {
    const bytes = Buffer.from(line)
    if (bytes.length > lineBytesMax) throw new Error(`a record is longer than ${lineBytesMax} bytes`)
    digest.update(bytes)
    return bytes
  }
  yield told(headerLine(source.session))
  for await (const { seq, version, time, fact, data } of source.records) {
    const { needed, kept } = blobsNamedBy(fact)
    for (const hash of new Set([...needed, ...kept])) {
      if (met.has(hash)) continue
      met.add(hash)
      const bytes = await bytesOf(source, hash, masked)
      if (bytes === null) continue
      brought.add(hash)
      for (const line of blobLines(hash, bytes)) yield told(line)
    }
    for (const hash of needed) if (!brought.has(hash)) absent.add(hash)
    const shown = masked(data)
    counts.events += 1
    counts.masked += shown === data ? 0 : 1
    yield told(eventLine({ seq, type: fact.type, version, time, data: shown }))
  }
  const end = { ...counts, blobs: brought.size, absent: [...absent], sha256: digest.digest("hex") }
  yield Buffer.from(endLine(end))
}

async function bytesOf(
  { blob }: BundleSource,
  hash: string,
  masked: (text: string) => string,
): Promise<Uint8Array | null> {
  const bytes = await blob(hash)
  if (bytes === null || bytes.byteLength > blobBytesMax) return null
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
  return masked(text) === text ? bytes : null
}

function* blobLines(hash: string, bytes: Uint8Array): Generator<string> {
  const size = bytes.byteLength
  for (let at = 0; at === 0 || at < size; at += blobPieceBytes) {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(blobPieceBytes, size - at))
    yield blobLine({ hash, size, at, data: piece.toString("base64") })
  }
}
