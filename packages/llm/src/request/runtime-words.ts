/** Words that stand on the user's side but are not the user's (PR7). */
import { handleOf, type Media } from "@holdfast/schema/media"
import { canonicalString } from "../canonical.ts"

/** Stands where a provider wants text and there is none. */
export const textOfNothing = "(no output)"

/** The same for a result that has nothing but images, where they stand behind all results. */
const textOfImages = "(images alone, behind the results)"

export const isBlank = (text: string): boolean => text.trim() === ""

/** The words of a result, which no provider takes without any. */
export function wordsOfResult(result: string, imagesBehind = false): string {
  if (!isBlank(result)) return result
  return imagesBehind ? textOfImages : textOfNothing
}

/** What a result begins with that failed, on wires without a field for it. */
const failedMark = "[failed]\n"

export const markedResult = (words: string, failed: boolean): string => (failed ? failedMark + words : words)

/** What such a result says, and whether it failed. */
export const unmarkedResult = (text: string): { readonly words: string; readonly failed: boolean } => {
  const failed = text.startsWith(failedMark)
  return { words: failed ? text.slice(failedMark.length) : text, failed }
}

/** The runtime's words, in a tag that they cannot close. */
export function inTags(tag: "notice" | "context-update", text: string): string {
  const inert = text.replaceAll(/<(?=\s*\/?\s*(?:notice|context-update)\b)/giu, "&lt;")
  return `<${tag} from="runtime">\n${inert}\n</${tag}>`
}

/** A line that stands for an image which is not shown, with the reason (LL7). */
export const unseenImageLine = (media: Media, reason: string): string => `[${imageWords(media)}: ${reason}]`

/** How an image is named and measured. */
export function imageWords(media: Media): string {
  const { name, mediaType, width, height } = media
  const called = name === null ? "" : ` ${canonicalString(name)},`
  return `image${called} ${mediaType}, ${width} × ${height}, ${handleOf(media)}`
}
