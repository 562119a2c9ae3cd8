/**
 * Image header: type and size of a PNG, JPEG, GIF or WebP from its bytes.
 *
 * A provider decodes the whole image; here the header is read and the end looked for, so that a
 * text under the name of an image and an image that was cut off are both found out.
 */

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp"

export interface ImageHeader {
  readonly mediaType: ImageType
  readonly width: number
  readonly height: number
}

/** What the bytes are, or nothing if they are no whole image of a known type. */
export function readImageHeader(data: Uint8Array): ImageHeader | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const header = readPng(bytes) ?? readJpeg(bytes) ?? readGif(bytes) ?? readWebp(bytes)
  return header !== undefined && header.width > 0 && header.height > 0 ? header : undefined
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const pngEnd = Buffer.from([0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])

function readPng(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(pngSignature)) return undefined
  if (!bytes.includes(pngEnd)) return undefined
  return { mediaType: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

const jpegEnd = Buffer.from([0xff, 0xd9])

function readJpeg(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes.readUInt8(at + 1)
    if (isFrame(marker)) {
      if (!bytes.includes(jpegEnd, at)) return undefined
      return {
        mediaType: "image/jpeg",
        width: bytes.readUInt16BE(at + 7),
        height: bytes.readUInt16BE(at + 5),
      }
    }
    // A byte of filling stands alone; every other segment before the frame tells its length.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** The markers of a frame; three of their range mean something else. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

function readGif(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 14 || !/^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6))) return undefined
  if (bytes.at(-1) !== 0x3b) return undefined
  return { mediaType: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

function readWebp(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 30 || bytes.toString("latin1", 0, 4) !== "RIFF") return undefined
  if (bytes.toString("latin1", 8, 12) !== "WEBP" || bytes.readUInt32LE(4) + 8 > bytes.length) return undefined
  const size = webpSize(bytes)
  return size === undefined ? undefined : { mediaType: "image/webp", ...size }
}

/** Lossy, lossless and extended images keep their size in three ways. */
function webpSize(bytes: Buffer): { readonly width: number; readonly height: number } | undefined {
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case "VP8L": {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}
