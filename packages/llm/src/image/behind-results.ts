/**
 * Images of results that cannot stand inside of them: behind all results of the answer, with the
 * runtime's words on whose they are (PR7, LL7).
 */
import type { Media } from "@holdfast/schema/media"
import type { EntryPart, PartOf } from "../segments.ts"
import { imageWords, inTags } from "../request/runtime-words.ts"

export interface ImagesBehind {
  readonly images: readonly Media[]
  /** Stands behind the images. */
  readonly words: string
}

/** `stands`: whether the images of a call stand behind the results. Null if none do. */
export function imagesBehind(
  parts: readonly EntryPart[],
  stands: (call: PartOf<"call">) => boolean = () => true,
): ImagesBehind | null {
  const calls = parts.filter((part): part is PartOf<"call"> => part.type === "call")
  const shown = calls.flatMap((call, at) =>
    stands(call) ? (call.images ?? []).map((media) => ({ media, of: `result ${at + 1}, ${call.name}` })) : [],
  )
  if (shown.length === 0) return null
  const lines = shown.map(({ media, of }) => `- of ${of}: ${imageWords(media)}`)
  return {
    images: shown.map(({ media }) => media),
    words: inTags("notice", `These images belong to the results above, in this order:\n${lines.join("\n")}`),
  }
}
