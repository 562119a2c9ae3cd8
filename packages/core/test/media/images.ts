/** Images for tests, made when they are needed: noise, which no encoder can make small. */
import { Effect } from "effect"
import sharp, { type Sharp } from "sharp"
import { type NormalisedImage, normaliseImage } from "../../src/media/normalise.ts"
import type { ImageRefused } from "../../src/media/image-refused.ts"

export interface Size {
  readonly width: number
  readonly height: number
  readonly channels?: 3 | 4
}

/** One colour: large sides in few bytes. */
export function plain({ width, height, channels = 3 }: Size): Sharp {
  const background = { r: 20, g: 90, b: 200, alpha: 0.5 }
  return sharp({ create: { width, height, channels, background }, limitInputPixels: false })
}

/** The same for the same size: each byte follows from the one before. */
export function noise({ width, height, channels = 3 }: Size): Sharp {
  const data = Buffer.alloc(width * height * channels)
  let state = 1
  for (let at = 0; at < data.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    data[at] = state >>> 24
  }
  return sharp(data, { raw: { width, height, channels } })
}

export async function frames(count: number, size: Size): Promise<Sharp> {
  const pages = Array.from({ length: count }, (_, page) =>
    plain(size)
      .tint({ r: page * 40, g: 10, b: 90 })
      .png()
      .toBuffer(),
  )
  return sharp(await Promise.all(pages), { join: { animated: true } })
}

export const take = (bytes: Uint8Array, name: string | null = "picture"): Promise<NormalisedImage> =>
  Effect.runPromise(normaliseImage({ bytes, name }))

export const refusal = (bytes: Uint8Array, name: string | null = "picture"): Promise<ImageRefused> =>
  Effect.runPromise(Effect.flip(normaliseImage({ bytes, name })))

/** The colours of one pixel. */
export async function pixelAt(bytes: Uint8Array, left: number, top: number): Promise<readonly number[]> {
  const { data } = await sharp(bytes)
    .extract({ left, top, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return [...data]
}
