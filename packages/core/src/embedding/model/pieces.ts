/**
 * A text as numbers of the pieces that the embedding model knows: of all ways to cut it, the likeliest. What no piece
 * begins with is unknown, and several unknown characters in a row are one.
 */

export type Vocabulary = readonly (readonly [piece: string, likelihood: number])[]

export type Pieces = (text: string) => readonly number[]

/** Numbers that stand for no text. */
const reserved = 6
const unknown = 0
/** Stands for a blank, and in front of a text. */
const blank = "\u2581"

interface Node {
  readonly next: Map<string, Node>
  piece: number
}

export function makePieces(vocabulary: Vocabulary): Pieces {
  const root = treeOf(vocabulary)
  const lengthOf = (piece: number): number => vocabulary[piece]?.[0].length ?? 1
  return (text) => {
    if (text === "") return []
    const characters = [...`${blank}${text.normalize("NFKC").replaceAll(" ", blank)}`]
    const best = new Float64Array(characters.length + 1)
    const last = new Int32Array(characters.length + 1)
    for (let from = 0; from < characters.length; from++) {
      const reach = (end: number, piece: number): void => {
        const worth = (vocabulary[piece]?.[1] ?? 0) + (best[from] ?? 0)
        if (best[end] !== 0 && worth < (best[end] ?? 0)) return
        best[end] = worth
        last[end] = piece
      }
      let found = false
      let node = root.next.get(characters[from] ?? "")
      for (let at = from + 1; node !== undefined; at++) {
        if (node.piece !== unknown) {
          reach(at, node.piece)
          found = true
        }
        node = node.next.get(characters[at] ?? "")
      }
      if (!found) reach(from + 1, unknown)
    }
    const pieces: number[] = []
    for (let end = characters.length; end > 0; end -= lengthOf(pieces.at(-1) ?? unknown))
      pieces.push(last[end] ?? unknown)
    return pieces.filter((piece, at) => piece !== unknown || pieces[at - 1] !== unknown).toReversed()
  }
}

function treeOf(vocabulary: Vocabulary): Node {
  const root: Node = { next: new Map(), piece: unknown }
  for (const [piece, [text]] of vocabulary.entries()) {
    if (piece < reserved) continue
    let node = root
    for (const character of text) {
      let next = node.next.get(character)
      if (next === undefined) node.next.set(character, (next = { next: new Map(), piece: unknown }))
      node = next
    }
    node.piece = piece
  }
  return root
}
