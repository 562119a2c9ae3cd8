/** Size of an entry in estimated tokens, before any wire has given it bytes. */
import { blockOverheadTokens, estimateTokens, imageTokens } from "@holdfast/llm/size"
import type { Media } from "@holdfast/schema/media"
import type { Entry, EntryPart } from "@holdfast/llm/segments"

const sizes = new WeakMap<Entry, number>()

/** Counted once per entry object. */
export function entryTokens(entry: Entry): number {
  const known = sizes.get(entry)
  if (known !== undefined) return known
  const tokens =
    entry.kind === "assistant"
      ? entry.parts.reduce((sum, part) => sum + partTokens(part), 0)
      : textTokens(entry.text) + (entry.kind === "user" ? imagesTokens(entry.images) : 0)
  sizes.set(entry, tokens)
  return tokens
}

const textTokens = (text: string): number =>
  blockOverheadTokens + estimateTokens(Buffer.byteLength(text), "prose")

const imagesTokens = (images: readonly Media[] = []): number =>
  images.reduce((sum, image) => sum + imageTokens(image), 0)

function partTokens(part: EntryPart): number {
  switch (part.type) {
    case "text":
      return textTokens(part.text)
    case "reasoning":
      return (
        textTokens(part.text) + estimateTokens(JSON.stringify(part.native?.opaque ?? "").length, "opaque")
      )
    case "hosted":
      return blockOverheadTokens + estimateTokens(JSON.stringify(part.native.opaque).length, "opaque")
    case "call": {
      const input = estimateTokens(Buffer.byteLength(JSON.stringify(part.input) ?? ""), "json")
      return 2 * blockOverheadTokens + input + textTokens(part.result) + imagesTokens(part.images)
    }
  }
}
