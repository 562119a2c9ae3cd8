/**
 * Image type: what bytes are, told by their first few and never by a name or a claim.
 *
 * Types that are known but not allowed have a name here, so that the refusal can say it.
 */
import type { ImageType } from "@holdfast/schema/media"

export type Sniffed =
  | { readonly kind: "allowed"; readonly type: ImageType }
  /** As in "a TIFF image". */
  | { readonly kind: "other"; readonly what: string }
  | { readonly kind: "unknown" }

/** As many bytes as a decision looks at. */
const sniffedBytesMax = 4_096

/** Texts that the bytes hold, one character a byte, and at which byte. */
type Marks = readonly (readonly [at: number, text: string])[]

const allowed: readonly (readonly [ImageType, Marks])[] = [
  ["image/png", [[0, "\x89PNG\r\n\x1a\n"]]],
  ["image/jpeg", [[0, "\xff\xd8\xff"]]],
  ["image/gif", [[0, "GIF87a"]]],
  ["image/gif", [[0, "GIF89a"]]],
  [
    "image/webp",
    [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
  ],
]

const others: readonly (readonly [string, Marks])[] = [
  ["a TIFF image", [[0, "II*\0"]]],
  ["a TIFF image", [[0, "MM\0*"]]],
  ["a TIFF image", [[0, "II+\0"]]],
  ["a TIFF image", [[0, "MM\0+"]]],
  ["an AVIF image", [[4, "ftypavi"]]],
  ["a HEIF image", [[4, "ftyphe"]]],
  ["a HEIF image", [[4, "ftypmif1"]]],
  ["a HEIF image", [[4, "ftypmsf1"]]],
  ["a PDF document", [[0, "%PDF-"]]],
  [
    "a BMP image",
    [
      [0, "BM"],
      [6, "\0\0\0\0"],
    ],
  ],
  ["an icon", [[0, "\0\0\x01\0"]]],
  ["a JPEG XL image", [[0, "\xff\x0a"]]],
  ["a JPEG XL image", [[0, "\0\0\0\x0cJXL "]]],
  ["a JPEG 2000 image", [[0, "\0\0\0\x0cjP  "]]],
  ["a Photoshop document", [[0, "8BPS"]]],
]

const drawing = /^(?:\xef\xbb\xbf)?\s*(?:<svg[\s>]|<(?:\?xml|!--|!doctype svg).*<svg[\s>])/is

export function sniffType(bytes: Uint8Array): Sniffed {
  const head = Buffer.from(bytes.subarray(0, sniffedBytesMax)).toString("latin1")
  const holds = (marks: Marks) => marks.every(([at, text]) => head.startsWith(text, at))
  const type = allowed.find(([, marks]) => holds(marks))?.[0]
  if (type !== undefined) return { kind: "allowed", type }
  const what = drawing.test(head) ? "an SVG drawing" : others.find(([, marks]) => holds(marks))?.[0]
  return what === undefined ? { kind: "unknown" } : { kind: "other", what }
}
