/** The content of a result as somebody wrote it: what a canonical result, a text with images, can say of it. */
import { type Fields, fieldsOf, isFields, listOf } from "../../json-fields.ts"

export interface WrittenResult {
  /** Texts and values in their order, as one text; a value stands for its JSON. */
  readonly words: string
  readonly images: readonly Fields[]
  /** What has no word in the canonical request, by its kind. */
  readonly strange: readonly string[]
}

export function writtenResult(content: unknown): WrittenResult {
  const pieces = listOf(content).map(fieldsOf)
  const said = pieces.flatMap((piece) => wordsOf(piece) ?? [])
  const images = pieces.flatMap(({ image }) => (isFields(image) ? [image] : []))
  const strange = pieces.flatMap((piece) =>
    isFields(piece["image"]) || wordsOf(piece) !== null ? [] : [kindOf(piece)],
  )
  return {
    words: said.join("\n"),
    images,
    strange: turnsOf(pieces) > 1 ? [...strange, "text among images"] : strange,
  }
}

function wordsOf({ text, json }: Fields): string | null {
  if (typeof text === "string") return text
  return json === undefined ? null : JSON.stringify(json)
}

/** How often texts and images take turns: images behind all words, or before them, belong to all of them. */
const turnsOf = (pieces: readonly Fields[]): number =>
  pieces.filter((piece, at) => at > 0 && isFields(piece["image"]) !== isFields(pieces[at - 1]?.["image"]))
    .length

/** What a block is, by its one member. */
export const kindOf = (block: Fields): string => Object.keys(block)[0] ?? "an empty block"
