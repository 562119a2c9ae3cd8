/** Data URLs of images: how OpenAI's wires carry them. */

export interface DataUrl {
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

/** What stands before the base64. */
export const dataUrlStart = (mediaType: string): string => `data:${mediaType};base64,`

/** The longest beginning that is looked at. */
const startCharsMax = 100

/** Null if the text is no data URL in base64. */
export function dataUrlOf(url: string): DataUrl | null {
  const [start, mediaType] = /^data:([a-z]+\/[a-z0-9.+-]+);base64,/.exec(url.slice(0, startCharsMax)) ?? []
  return start === undefined || mediaType === undefined ? null : { mediaType, data: url.slice(start.length) }
}
