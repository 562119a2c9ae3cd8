import { crc32 } from "node:zlib"
import { imageGivenBytesMax } from "@holdfast/schema/media"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { ImageRefusedCode } from "../../src/media/image-refused.ts"
import { normaliseImage } from "../../src/media/normalise.ts"
import { noise, plain, refusal } from "./images.ts"

const latin = (text: string): Buffer => Buffer.from(text, "latin1")
const padded = (text: string): Buffer => Buffer.concat([latin(text), Buffer.alloc(100)])
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
const size = { width: 300, height: 200 }

const refused: readonly (readonly [string, ImageRefusedCode, () => Buffer | Promise<Buffer>])[] = [
  ["nothing", "not_an_image", () => Buffer.alloc(0)],
  ["text", "not_an_image", () => latin("hello")],
  ["HTML with a drawing in it", "not_an_image", () => latin(`<!doctype html><body>${svg}`)],
  ["an archive", "not_an_image", () => padded("PK\x03\x04")],
  ["a sound", "not_an_image", () => padded("RIFF\x24\0\0\0WAVE")],
  ["svg", "type", () => latin(svg)],
  ["svg after a prolog", "type", () => latin(`\xef\xbb\xbf<?xml version="1.0"?>\n<!-- x -->\n${svg}`)],
  ["tiff", "type", () => plain(size).tiff().toBuffer()],
  ["avif", "type", () => plain(size).avif({ effort: 0 }).toBuffer()],
  ["heif", "type", () => padded("\0\0\0\x18ftypheic")],
  ["pdf", "type", () => padded("%PDF-1.7\n")],
  ["bmp", "type", () => padded("BM\x46\0\0\0\0\0\0\0")],
  ["icon", "type", () => padded("\0\0\x01\0\x01\0")],
  ["too many bytes", "too_large", async () => grown(await noise(size).png().toBuffer())],
  ["too many pixels", "too_many_pixels", async () => claiming(await plain(size).png().toBuffer(), 20_000)],
  ["half a png", "damaged", async () => half(await noise(size).png().toBuffer())],
  ["half a jpeg", "damaged", async () => half(await noise(size).jpeg().toBuffer())],
  ["half a gif", "damaged", async () => half(await noise({ width: 40, height: 30 }).gif().toBuffer())],
  ["half a webp", "damaged", async () => half(await noise(size).webp().toBuffer())],
  [
    "half a large png",
    "damaged",
    async () => half(await noise({ width: 2_100, height: 40 }).png().toBuffer()),
  ],
  [
    "half a large jpeg",
    "damaged",
    async () => half(await noise({ width: 2_100, height: 40 }).jpeg().toBuffer()),
  ],
  [
    "a jpeg without its last byte",
    "damaged",
    async () => (await noise(size).jpeg().toBuffer()).subarray(0, -1),
  ],
  ["a png with a wrong byte", "damaged", async () => bent(await noise(size).png().toBuffer())],
  ["no more than a first mark", "damaged", () => padded("\x89PNG\r\n\x1a\n")],
]

/** A PNG whose header says that it is a square of this side. */
function claiming(png: Buffer, side: number): Buffer {
  png.writeUInt32BE(side, 16)
  png.writeUInt32BE(side, 20)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length / 2)
}

function bent(bytes: Buffer): Buffer {
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 0xff
  return bytes
}

function grown(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(imageGivenBytesMax + 1 - bytes.length)])
}

describe("refuses", () => {
  for (const [what, code, make] of refused) {
    test(`[LL7] ${what}: ${code}`, async () => {
      const bytes = await make()
      const error = await refusal(bytes, "../photo.png")
      expect(error).toMatchObject({ _tag: "ImageRefused", code })
      expect(error.message).toMatch(/^The image "photo\.png" .*(give|convert)/is)
    })
  }

  test("[LL7] every image where the engine does not load, and says what to do", async () => {
    const load = () =>
      Promise.reject(Object.assign(new Error("secret path"), { code: "ERR_MODULE_NOT_FOUND" }))
    const bytes = await noise(size).png().toBuffer()
    const error = await Effect.runPromise(Effect.flip(normaliseImage({ bytes, name: null }, load)))
    expect(error.code).toBe("unavailable")
    expect(error.message).toBe(
      "The image cannot be taken: the package sharp, which reads images, does not load on this machine (ERR_MODULE_NOT_FOUND). Install it where Holdfast is installed (npm install sharp), or go on without images.",
    )
  })
})
