/**
 * Ignore files: which paths a search passes over, by the rules of `.gitignore`.
 *
 * Whoever wrote the file may not be trusted, so no pattern becomes a regular expression: wildcards
 * are matched by going back to the last one only, which takes at most length times length steps.
 */

/** The rules of one ignore file, for the paths below its directory. */
export interface IgnoreRules {
  /** Of the directory it stands in, from the root of the search; empty for the root itself. */
  readonly base: string
  readonly rules: readonly IgnoreRule[]
}

interface IgnoreRule {
  readonly segments: readonly Segment[]
  readonly again: boolean
  readonly directoriesOnly: boolean
}

/** `any` stands for any number of folders. */
type Segment = "any" | readonly Token[]
/** `star`: any text; `one`: any character. */
type Token = "star" | "one" | { readonly char: string } | CharacterSet
interface CharacterSet {
  readonly not: boolean
  readonly ranges: readonly (readonly [from: string, to: string])[]
}

const rulesMax = 1_000
const ruleLengthMax = 1_000

export function readIgnoreRules(base: string, text: string): IgnoreRules {
  const lines = text.split(/\r?\n/).slice(0, rulesMax)
  return { base, rules: lines.flatMap((line) => ruleOf(line) ?? []) }
}

/** Of all rules that fit a path the last one decides, those of inner directories after those of outer ones. */
export function isIgnored(files: readonly IgnoreRules[], path: string, isDirectory: boolean): boolean {
  let ignored = false
  for (const { base, rules } of files) {
    if (base !== "" && !path.startsWith(`${base}/`)) continue
    const parts = path.slice(base === "" ? 0 : base.length + 1).split("/")
    for (const { segments, again, directoriesOnly } of rules) {
      if (ignored === !again || (directoriesOnly && !isDirectory)) continue
      if (fitsPath(segments, parts)) ignored = !again
    }
  }
  return ignored
}

function ruleOf(line: string): IgnoreRule | null {
  const text = line.replace(/(?<!\\)[ \t]+$/, "")
  if (text === "" || text.startsWith("#") || text.length > ruleLengthMax) return null
  const again = text.startsWith("!")
  const pattern = again ? text.slice(1) : text
  const path = pattern.replace(/\/$/, "")
  const parts = path.replace(/^\//, "").split("/")
  // A pattern with a slash before its end counts from its directory, any other at every depth.
  const within: readonly Segment[] = path.includes("/") ? [] : ["any"]
  const inside: readonly Segment[] = parts.at(-1) === "**" ? [["star"]] : []
  const segments = parts.map((part): Segment => (part === "**" ? "any" : tokensOf(part)))
  return { segments: [...within, ...segments, ...inside], again, directoriesOnly: path !== pattern }
}

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

const fitsPath = (segments: readonly Segment[], parts: readonly string[]): boolean =>
  fits(
    segments,
    parts,
    (segment) => segment === "any",
    (segment, part) => segment !== "any" && fitsName(segment, [...part]),
  )

const fitsName = (tokens: readonly Token[], name: readonly string[]): boolean =>
  fits(tokens, name, (token) => token === "star", fitsCharacter)

function fitsCharacter(token: Token, char: string): boolean {
  if (typeof token === "string") return true
  if ("char" in token) return token.char === char
  return token.ranges.some(([from, to]) => char >= from && char <= to) !== token.not
}

/** A pattern with wildcards against a text, both as lists. */
function fits<Pattern, Item>(
  pattern: readonly Pattern[],
  items: readonly Item[],
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
