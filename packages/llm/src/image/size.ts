/** Width and height of an image, read from the first bytes of its form. */

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Null if the bytes are no image of a form that is known here, or end too soon. */
export function imageSize(bytes: Uint8Array): ImageSize | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size = pngSize(view) ?? gifSize(view) ?? webpSize(view) ?? jpegSize(view)
  return size === null || size.width < 1 || size.height < 1 ? null : size
}

const startsWith = (view: Buffer, start: string, at = 0): boolean =>
  view.toString("latin1", at, at + start.length) === start

function pngSize(view: Buffer): ImageSize | null {
  if (view.length < 24 || !startsWith(view, "\x89PNG\r\n\x1a\n") || !startsWith(view, "IHDR", 12)) return null
  return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) }
}

function gifSize(view: Buffer): ImageSize | null {
  if (view.length < 10 || !(startsWith(view, "GIF87a") || startsWith(view, "GIF89a"))) return null
  return { width: view.readUInt16LE(6), height: view.readUInt16LE(8) }
}

function webpSize(view: Buffer): ImageSize | null {
  if (view.length < 30 || !startsWith(view, "RIFF") || !startsWith(view, "WEBP", 8)) return null
  switch (view.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: view.readUIntLE(24, 3) + 1, height: view.readUIntLE(27, 3) + 1 }
    case "VP8L": {
      const bits = view.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case "VP8 ":
      return { width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff }
    default:
      return null
  }
}

/** Tables and settings stand before the frame, each with its length. */
function jpegSize(view: Buffer): ImageSize | null {
  if (!startsWith(view, "\xff\xd8")) return null
  for (let at = 2; at + 9 <= view.length;) {
    if (view[at] !== 0xff) return null
    const marker = view[at + 1] as number
    if (marker === 0xff) at += 1
    else if (isFrame(marker)) return { width: view.readUInt16BE(at + 7), height: view.readUInt16BE(at + 5) }
    else at += 2 + view.readUInt16BE(at + 2)
  }
  return null
}

/** Start of frame; three markers of its range are tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
