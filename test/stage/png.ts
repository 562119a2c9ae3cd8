/** A real image of given sides, as small as it gets, and what the stage takes for its normaliser. */
import { hash } from "node:crypto"
import { crc32, deflateSync } from "node:zlib"
import { Effect } from "effect"
import type { GivenImage, StoredImage } from "@holdfast/core/media/normalise"

export function png(width: number, height: number): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits of grey.
  header[8] = 8
  const rows = deflateSync(Buffer.alloc((width + 1) * height))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const end = chunk("IEND", Buffer.alloc(0))
  return new Uint8Array(Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", rows), end]))
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), framed.length - 4)
  return framed
}

/** As it is stored if its header is taken at its word. */
export const storedAs = ({ bytes, name }: GivenImage): StoredImage => {
  const sides = Buffer.from(bytes)
  const media = {
    hash: hash("sha256", bytes),
    mediaType: "image/png",
    bytes: bytes.length,
    width: sides.readUInt32BE(16),
    height: sides.readUInt32BE(20),
    name,
  } as const
  return { bytes, media }
}

/** Decoding needs threads of its own, which virtual time has not. */
export const takeImage = (given: GivenImage): Effect.Effect<StoredImage> => Effect.sync(() => storedAs(given))
