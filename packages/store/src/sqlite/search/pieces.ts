/**
 * A long text in pieces (SE1): each is a unit of the same message, so that all of it is found, and shown where it matches.
 *
 * Pieces end at blanks where there are any, and share so much with the next that no phrase is cut in two. A text has the
 * same pieces whenever it is read.
 */
export const pieceCharactersMax = 16_384
/** More than a phrase may have. */
const sharedCharacters = 256

export function indexedPieces(text: string): readonly string[] {
  const pieces: string[] = []
  let from = 0
  while (text.length - from > pieceCharactersMax) {
    const to = cutBefore(text, from + pieceCharactersMax)
    pieces.push(text.slice(from, to))
    from = cutBefore(text, to - sharedCharacters)
  }
  return [...pieces, text.slice(from)]
}

/** Behind a blank a little before; else there, but never inside of a character. */
function cutBefore(text: string, at: number): number {
  for (let to = at; to > at - sharedCharacters; to--) if (isBlank(text.charCodeAt(to - 1))) return to
  return isSecondHalf(text.charCodeAt(at)) ? at - 1 : at
}

const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)
const isSecondHalf = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff
