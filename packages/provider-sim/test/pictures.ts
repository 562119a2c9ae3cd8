/** Pictures of the tests: the smallest images of each type that are whole, of any size. */
import { createHash } from "node:crypto"
import { crc32, deflateSync } from "node:zlib"

/** A white picture of one bit a pixel; the note makes its bytes differ, or their number grow. */
export function png(width: number, height: number, note = ""): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    ...(note === "" ? [] : [chunk("tEXt", Buffer.from(`Comment\0${note}`, "latin1"))]),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

/** A PNG of exactly so many bytes. */
export function pngOfBytes(bytes: number): Buffer {
  const least = png(8, 8, "x").length - 1
  return png(8, 8, "x".repeat(bytes - least))
}

/** Headers and ends alone: nothing but a decoder could tell. */
export function jpeg(width: number, height: number): Buffer {
  const segment = Buffer.from("ffe000104a46494600010100000100010000", "hex")
  const frame = Buffer.from("ffc0000b08000000000101110000", "hex").subarray(0, 13)
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from("ffd8", "hex"), segment, frame, Buffer.from("ffd9", "hex")])
}

export function gif(width: number, height: number): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16LE(width, 0)
  size.writeUInt16LE(height, 2)
  return Buffer.concat([Buffer.from("GIF89a", "latin1"), size, Buffer.from("0000003b", "hex")])
}

export function webp(width: number, height: number, form: "VP8 " | "VP8L" | "VP8X" = "VP8 "): Buffer {
  const body = Buffer.alloc(30)
  body.write("RIFF", 0, "latin1")
  body.writeUInt32LE(22, 4)
  body.write(`WEBP${form}`, 8, "latin1")
  if (form === "VP8 ") {
    body.writeUInt16LE(width, 26)
    body.writeUInt16LE(height, 28)
  } else if (form === "VP8L") {
    body.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21)
  } else {
    body.writeUIntLE(width - 1, 24, 3)
    body.writeUIntLE(height - 1, 27, 3)
  }
  return body
}

export const times = <T>(count: number, part: T): readonly T[] => Array.from({ length: count }, () => part)
export const base64 = (bytes: Buffer): string => bytes.toString("base64")
export const dataUrl = (bytes: Buffer, type = "image/png"): string => `data:${type};base64,${base64(bytes)}`
export const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex")

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
