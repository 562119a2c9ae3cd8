import { createHash } from "node:crypto"
import { mkdir, readFile, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { handleOf, imageGivenBytesMax } from "@holdfast/schema/media"
import { Effect } from "effect"
import sharp from "sharp"
import { expect, test } from "vitest"
import type { StoredImage } from "../../src/media/normalise.ts"
import { readTool } from "../../src/tools/read.ts"
import { runTool, temporaryDirectory } from "./workspace.ts"

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#48a" } })

test("[LL7] shows an image by its bytes, whatever its name, and says what it is", async () => {
  const directory = await temporaryDirectory()
  await mkdir(join(directory, "shots"))
  await image(80, 60).png().toFile(join(directory, "shots/one.txt"))
  const bytes = await readFile(join(directory, "shots/one.txt"))
  const { result } = await runTool(readTool, { path: "shots/one.txt", offset: 3 }, directory)
  const hash = createHash("sha256").update(bytes).digest("hex")
  expect(result?.text).toBe("(image/png, 80 × 60)")
  expect(result?.structured).toEqual({
    kind: "image",
    image: `media:${hash.slice(0, 12)}`,
    mediaType: "image/png",
    width: 80,
    height: 60,
  })
  expect(result?.images).toEqual([
    {
      media: { hash, mediaType: "image/png", bytes: bytes.length, width: 80, height: 60, name: "one.txt" },
      bytes,
    },
  ])
})

test("[LL7] shrinks a large image and says from what", async () => {
  const directory = await temporaryDirectory()
  await image(4_000, 3_000).jpeg().toFile(join(directory, "large.jpg"))
  const { result } = await runTool(readTool, { path: "large.jpg" }, directory)
  expect(result?.text).toBe("(image/jpeg, 2000 × 1500, shrunk from 4000 × 3000)")
  expect(result?.images?.map(({ media }) => [media.width, media.height])).toEqual([[2_000, 1_500]])
})

test("[LL7] refuses a damaged or too large image with what to do", async () => {
  const directory = await temporaryDirectory()
  const png = await image(300, 300).png().toBuffer()
  await writeFile(join(directory, "half.png"), png.subarray(0, png.length / 2))
  await writeFile(join(directory, "huge.png"), png)
  await truncate(join(directory, "huge.png"), 4 * imageGivenBytesMax)
  expect((await runTool(readTool, { path: "half.png" }, directory)).failure).toMatchObject({
    code: "image_damaged",
    message:
      'The image "half.png" is cut off or damaged and cannot be shown. Save or download it anew, then give it again.',
  })
  expect((await runTool(readTool, { path: "huge.png" }, directory)).failure).toMatchObject({
    code: "image_too_large",
    message:
      'The image "huge.png" has more than 20 MiB, which is the most that can be given. Make it smaller and give it again.',
  })
})

test("reads text that begins like an image, and drawings, as text; refuses other types of images", async () => {
  const directory = await temporaryDirectory()
  await writeFile(join(directory, "notes"), "GIF89a is a format\n")
  await writeFile(join(directory, "drawing.svg"), "<svg/>")
  await image(30, 30).tiff().toFile(join(directory, "scan.png"))
  expect((await runTool(readTool, { path: "notes" }, directory)).result?.text).toBe(
    "     1\tGIF89a is a format",
  )
  expect((await runTool(readTool, { path: "drawing.svg" }, directory)).result?.text).toBe("     1\t<svg/>")
  expect((await runTool(readTool, { path: "scan.png" }, directory)).failure?.code).toBe("binary_file")
})

test("[LL7] shows an image of the Session again by its handle", async () => {
  const directory = await temporaryDirectory()
  const bytes = await image(9, 7).webp().toBuffer()
  const hash = createHash("sha256").update(bytes).digest("hex")
  const stored: StoredImage = {
    media: { hash, mediaType: "image/webp", bytes: bytes.length, width: 9, height: 7, name: null },
    bytes,
  }
  const asked: string[] = []
  const context = {
    image: (handle: string) => {
      asked.push(handle)
      return Effect.succeed(handle === handleOf(stored.media) ? stored : null)
    },
  }
  const found = await runTool(readTool, { path: handleOf(stored.media) }, directory, context)
  expect(found.result).toMatchObject({ text: "(image/webp, 9 × 7)", images: [stored] })
  const unknown = await runTool(readTool, { path: "media:000000000000" }, directory, context)
  expect(unknown.failure).toMatchObject({
    code: "not_found",
    message:
      "This Session has no image media:000000000000. Use a handle as it stands in the conversation, or the path of a file.",
  })
  const withoutImages = await runTool(readTool, { path: handleOf(stored.media) }, directory)
  expect(withoutImages.failure?.code).toBe("not_found")
  expect(asked).toEqual([handleOf(stored.media), "media:000000000000"])
})

test("reads a file whose name is no handle, and one in the place of a handle by a path", async () => {
  const directory = await temporaryDirectory()
  await writeFile(join(directory, "media:abc"), "short")
  await writeFile(join(directory, "media:000000000000"), "file")
  expect((await runTool(readTool, { path: "media:abc" }, directory)).result?.text).toBe("     1\tshort")
  expect((await runTool(readTool, { path: "./media:000000000000" }, directory)).result?.text).toBe(
    "     1\tfile",
  )
})
