/**
 * Vectors of one step of the queue (SE3). That of a message holds half of the one before it: what answers is
 * found by what was asked (docs/search.md says what that is worth). Compartments are embedded in pieces.
 */
import type { EmbeddingStep, UnitVector } from "@holdfast/store/search/embedding"
import type { Embedder } from "./embedder.ts"

const beforeShare = 0.5

export async function vectorsOf(
  { kind, units, before, choice }: EmbeddingStep,
  { embed }: Embedder,
): Promise<readonly UnitVector[]> {
  if (kind === "compartments") {
    const pieces = units.flatMap(({ unit, text }) =>
      piecesOf(text, choice.chunkCharacters).map((piece, chunk) => ({ unit, chunk, piece })),
    )
    const vectors = await embed(pieces.map(({ piece }) => piece))
    return pieces.map(({ unit, chunk }, at) => ({ unit, chunk, vector: vectors[at] ?? new Float32Array() }))
  }
  // As long as those of messages: both are compared with the same question.
  if (kind === "others") {
    const vectors = await embed(units.map(({ text }) => text))
    return units.map(({ unit }, at) => ({
      unit,
      chunk: 0,
      vector: withBefore(vectors[at] ?? new Float32Array()),
    }))
  }
  const texts = [...(before === null || units.length === 0 ? [] : [before]), ...units.map(({ text }) => text)]
  const vectors = await embed(texts)
  const first = texts.length - units.length
  return units.map(({ unit }, at) => ({
    unit,
    chunk: 0,
    vector: withBefore(vectors[first + at] ?? new Float32Array(), vectors[first + at - 1]),
  }))
}

/** Where nothing stands before it that has a meaning, it stands for itself: its vector is as long as the others. */
function withBefore(own: Float32Array, before: Float32Array = own): Float32Array {
  if (isEmpty(own)) return own
  const beside = isEmpty(before) ? own : before
  return own.map((value, at) => value + beforeShare * (beside[at] ?? 0))
}

/** Of a text that the model cannot read. */
const isEmpty = (vector: Float32Array): boolean => vector.every((value) => value === 0)

const piecesMax = 64

/** Pieces of at most so many characters, cut at the end of a line or a word where there is one. */
export function piecesOf(text: string, characters: number): readonly string[] {
  const pieces: string[] = []
  let rest = text.trim()
  while (rest.length > characters && pieces.length < piecesMax - 1) {
    const piece = rest.slice(0, characters)
    const end = Math.max(piece.lastIndexOf("\n"), piece.lastIndexOf(". "), piece.lastIndexOf(" "))
    const cut = end > characters / 2 ? end + 1 : characters
    pieces.push(rest.slice(0, cut).trim())
    rest = rest.slice(cut).trim()
  }
  return rest === "" ? pieces : [...pieces, rest]
}
