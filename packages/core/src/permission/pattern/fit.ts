/**
 * Fit: whether a pattern covers a resource.
 *
 * `maybe` is the answer where the resource cannot be known before it happens, such as a command with
 * a variable in it. It never allows, and never denies: it asks.
 */
export type Fit = "yes" | "no" | "maybe"

export interface Pattern {
  /**
   * `generous` is how a pattern that restricts is read: a command with further words is covered too.
   * One that allows covers what it says and nothing else.
   */
  readonly fits: (resource: string, reading: Reading) => Fit
}

export interface Reading {
  readonly generous: boolean
  readonly projectRoot: string
}

export const everything: Pattern = { fits: () => "yes" }

export const allBut = (pattern: Pattern): Pattern => ({
  fits: (resource, reading) => opposite[pattern.fits(resource, { ...reading, generous: !reading.generous })],
})

const opposite: Readonly<Record<Fit, Fit>> = { yes: "no", no: "yes", maybe: "maybe" }

/** A text in which each `*` stands for any characters. */
export function readStars(text: string): (whole: string) => boolean {
  const [first = "", ...others] = text.split("*")
  const last = others.pop()
  if (last === undefined) return (whole) => whole === text
  return (whole) => {
    if (whole.length < first.length + last.length || !whole.startsWith(first) || !whole.endsWith(last))
      return false
    let at = first.length
    const end = whole.length - last.length
    for (const piece of others) {
      const found = whole.indexOf(piece, at)
      if (found === -1 || found + piece.length > end) return false
      at = found + piece.length
    }
    return true
  }
}
