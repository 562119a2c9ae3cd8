/**
 * Read image: what the read tool shows of a file whose bytes are an image, and of an image that
 * the Session has already (LL7). The text is one line; the image travels beside it.
 */
import type { FileHandle } from "node:fs/promises"
import { Effect } from "effect"
import { type Media, handleOf, imageGivenBytesMax } from "@holdfast/schema/media"
import { sniffType } from "../media/image-type.ts"
import { type GivenImage, type StoredImage, normaliseImage } from "../media/normalise.ts"
import { ToolFailure, type ToolContext, type ToolResult } from "./tool.ts"

/** Whether bytes at the beginning of a file are those of an image that can be shown. */
export const isImage = (sample: Uint8Array): boolean => sniffType(sample).kind === "allowed"

/** The whole file, or one byte more than an image may have. */
export async function readImageBytes(file: FileHandle): Promise<Uint8Array> {
  const { size } = await file.stat()
  const bytes = Buffer.alloc(Math.min(size, imageGivenBytesMax + 1))
  for (let at = 0; at < bytes.length;) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, at)
    if (bytesRead === 0) return bytes.subarray(0, at)
    at += bytesRead
  }
  return bytes
}

export const showGiven = (image: GivenImage): Effect.Effect<ToolResult, ToolFailure> =>
  normaliseImage(image).pipe(
    Effect.map(({ media, bytes, given }) => {
      const isSmaller = media.width < given.width || media.height < given.height
      return show({ media, bytes }, isSmaller ? `, shrunk from ${given.width} × ${given.height}` : "")
    }),
    Effect.mapError(({ code, message }) => new ToolFailure({ code: `image_${code}`, message })),
  )

export const showAgain = Effect.fnUntraced(function* (
  handle: string,
  { image }: ToolContext,
): Effect.fn.Return<ToolResult, ToolFailure> {
  const found = image === undefined ? null : yield* image(handle)
  if (found !== null) return show(found, "")
  return yield* new ToolFailure({
    code: "not_found",
    message: `This Session has no image ${handle}. Use a handle as it stands in the conversation, or the path of a file.`,
  })
})

function show(image: StoredImage, history: string): ToolResult {
  const { mediaType, width, height }: Media = image.media
  return {
    text: `(${mediaType}, ${width} × ${height}${history})`,
    structured: { kind: "image", image: handleOf(image.media), mediaType, width, height },
    images: [image],
  }
}
