/**
 * Holes: where an image stands in a block, whose bytes are put in only when a request is sent (LL7).
 *
 * Blocks, hashes and sizes need an image's hash and measures, never its bytes, so a turn plans and a
 * past request is verified without reading one. In a block's JSON a hole is an object where the
 * provider wants a string. Only blocks of texts have holes, and a text cannot imitate one, since its
 * quotes would be escaped; the arguments of a call could, and are never looked into.
 */
import { encodedBytes, type Media } from "@holdfast/schema/media"

export interface MediaHole {
  readonly media: Media
  /** What stands in the string before the base64: most of a data URL, or nothing. */
  readonly before: string
}

/** A hole that is nothing but base64. */
export const plainHole = (media: Media): MediaHole => ({ media, before: "" })

/** A hole of a body: the piece that stands for it. */
export interface BodyHole extends MediaHole {
  readonly piece: number
}

export const holeJson = ({ media, before }: MediaHole): string =>
  `{"$media":"${media.hash}","$before":${JSON.stringify(before)}}`

/** Bytes of the string that fills a hole, its quotes included. */
export const filledBytes = ({ media, before }: MediaHole): number =>
  Buffer.byteLength(JSON.stringify(before)) + encodedBytes(media.bytes)

/** The body with each image at its place, from the bytes of the images by their hash. */
export function fillBody(
  { body, holes }: { readonly body: readonly Uint8Array[]; readonly holes: readonly BodyHole[] },
  bytesOf: (hash: string) => Uint8Array,
): readonly Uint8Array[] {
  if (holes.length === 0) return body
  const filled = [...body]
  for (const { piece, media, before } of holes) {
    const encoded = Buffer.from(bytesOf(media.hash)).toString("base64")
    filled[piece] = Buffer.from(`${JSON.stringify(before).slice(0, -1)}${encoded}"`, "utf8")
  }
  return filled
}

/** A block's text, and the holes that stand in it in this order. */
export interface TextWithHoles {
  readonly text: string
  readonly holes: readonly MediaHole[]
}

/** Texts in pieces, those of holes apart. A hole is looked for in its own text alone: another may imitate it. */
export function piecesAround(
  texts: readonly TextWithHoles[],
): readonly { readonly bytes: Buffer; readonly hole: MediaHole | null }[] {
  const pieces: { readonly bytes: Buffer; readonly hole: MediaHole | null }[] = []
  let plain = ""
  for (const { text, holes } of texts) {
    let at = 0
    for (const hole of holes) {
      const json = holeJson(hole)
      const from = text.indexOf(json, at)
      pieces.push({ bytes: Buffer.from(plain + text.slice(at, from)), hole: null })
      pieces.push({ bytes: Buffer.from(json), hole })
      plain = ""
      at = from + json.length
    }
    plain += text.slice(at)
  }
  return [...pieces, { bytes: Buffer.from(plain), hole: null }]
}
