/**
 * Wildcards of paths, as `.gitignore` has them: `*`, `?` and sets within a name, `**` over folders.
 *
 * Whoever wrote a pattern may not be trusted, so none becomes a regular expression: wildcards are
 * matched by going back to the last one only, which takes at most length times length steps.
 */

/** A pattern, folder by folder. `any` stands for any number of folders. */
export type PathPattern = readonly Segment[]
type Segment = "any" | readonly Token[]
/** `star`: any text; `one`: any character. */
type Token = "star" | "one" | { readonly char: string } | CharacterSet
interface CharacterSet {
  readonly not: boolean
  readonly ranges: readonly (readonly [from: string, to: string])[]
}

/** A pattern with a slash before its end counts from its directory, any other at every depth. */
export function readPathPattern(text: string): PathPattern {
  const path = text.replace(/\/$/, "")
  const parts = path.replace(/^\//, "").split("/")
  const within: PathPattern = path.includes("/") ? [] : ["any"]
  const inside: PathPattern = parts.at(-1) === "**" ? [["star"]] : []
  const segments = parts.map((part): Segment => (part === "**" ? "any" : tokensOf(part)))
  return [...within, ...segments, ...inside]
}

/** Whether the whole of a path fits, given as its names. */
export const fitsPath = (pattern: PathPattern, names: readonly string[]): boolean =>
  fits(
    pattern,
    names,
    (segment) => segment === "any",
    (segment, name) => segment !== "any" && fitsName(segment, charactersOf(name)),
  )

function tokensOf(part: string): readonly Token[] {
  const characters = [...part]
  const tokens: Token[] = []
  for (let at = 0; at < characters.length; at++) {
    const char = characters[at] ?? ""
    const end = char === "[" ? characters.indexOf("]", at + 2) : -1
    if (char === "*") tokens.push("star")
    else if (char === "?") tokens.push("one")
    else if (char === "\\") tokens.push({ char: characters[++at] ?? "" })
    else if (end > 0) {
      tokens.push(setOf(characters.slice(at + 1, end)))
      at = end
    } else tokens.push({ char })
  }
  return tokens
}

function setOf(characters: readonly string[]): CharacterSet {
  const not = characters[0] === "!" || characters[0] === "^"
  const ranges: (readonly [string, string])[] = []
  for (let at = not ? 1 : 0; at < characters.length; at++) {
    const from = characters[at] ?? ""
    const isRange = characters[at + 1] === "-" && at + 2 < characters.length
    ranges.push([from, isRange ? (characters[at + 2] ?? from) : from])
    if (isRange) at += 2
  }
  return { not, ranges }
}

/** A string is the list of its characters where none of them takes two units. */
const charactersOf = (name: string): ArrayLike<string> => (/[\uD800-\uDFFF]/.test(name) ? [...name] : name)

const fitsName = (tokens: readonly Token[], name: ArrayLike<string>): boolean =>
  fits(tokens, name, (token) => token === "star", fitsCharacter)

function fitsCharacter(token: Token, char: string): boolean {
  if (typeof token === "string") return true
  if ("char" in token) return token.char === char
  return token.ranges.some(([from, to]) => char >= from && char <= to) !== token.not
}

/** A pattern with wildcards against a text, both as lists. */
function fits<Pattern, Item>(
  pattern: readonly Pattern[],
  items: ArrayLike<Item>,
  isWild: (part: Pattern) => boolean,
  isFit: (part: Pattern, item: Item) => boolean,
): boolean {
  let at = 0
  let wild = -1
  let wildTook = 0
  for (let item = 0; item < items.length;) {
    const part = pattern[at]
    if (part !== undefined && isWild(part)) {
      wild = at++
      wildTook = item
    } else if (part !== undefined && isFit(part, items[item] as Item)) {
      at += 1
      item += 1
    } else if (wild >= 0) {
      at = wild + 1
      item = ++wildTook
    } else return false
  }
  return pattern.slice(at).every(isWild)
}
