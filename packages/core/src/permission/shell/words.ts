/**
 * Words of a command, as one text that people read, rules judge and approvals repeat exactly.
 *
 *   git log -n 5              plain words
 *   git commit -m 'two words' a word in single quotes is literal, whatever is in it
 *   echo $'a\nb'              so is this one, with what cannot be seen made visible
 *   rm "$dir/*"               in double quotes stands what only the shell will know
 *
 * Pure, and reversible: `readWords(writeWords(words))` gives the same words.
 */

export interface Word {
  readonly text: string
  /** Whether the text is the word itself, or a source text that the shell will expand. */
  readonly literal: boolean
}

export const literalWord = (text: string): Word => ({ text, literal: true })
export const expandedWord = (source: string): Word => ({ text: source, literal: false })

export const writeWords = (words: readonly Word[]): string => words.map(writeWord).join(" ")

/** Null for a text that is not written like this. */
export function readWords(text: string): readonly Word[] | null {
  const words: Word[] = []
  const pattern = new RegExp(wordPattern)
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text)
    if (found === null) return null
    const [, plain, single, visible, double] = found
    if (plain !== undefined) words.push(literalWord(plain))
    else if (single !== undefined) words.push(literalWord(single.replaceAll(String.raw`'\''`, "'")))
    else if (visible !== undefined) words.push(literalWord(fromVisible(visible)))
    else words.push(expandedWord(fromVisible(double ?? "")))
  }
  return words
}

/** A command that cannot be taken apart: all of its text is one word that only the shell understands. */
export const wholeCommand = (text: string): string => writeWord(expandedWord(text))

const plainWord = /^[\w@%+=:,./\-[\]!^]+$/
/** Control characters, and those that change how the text around them is shown. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

const wordPattern =
  /(?:([\w@%+=:,./\-[\]!^]+)|'((?:[^']|'\\'')*)'|\$'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)")(?: |$)/y

function writeWord({ text, literal }: Word): string {
  if (!literal) return `"${toVisible(text, '"')}"`
  if (plainWord.test(text)) return text
  return unseen.test(text) ? `$'${toVisible(text, "'")}'` : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

const names: Readonly<Record<string, string>> = { "\n": "n", "\t": "t", "\r": "r" }
const characters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" }

const toVisible = (text: string, quote: string): string =>
  [...text]
    .map((char) => {
      if (char === quote || char === "\\") return `\\${char}`
      if (!unseen.test(char)) return char
      return names[char] === undefined
        ? `\\u{${char.codePointAt(0)?.toString(16) ?? ""}}`
        : `\\${names[char]}`
    })
    .join("")

const fromVisible = (text: string): string =>
  text.replaceAll(/\\(?:u\{([0-9a-f]+)\}|([^]))/g, (_, code: string | undefined, char: string) =>
    code === undefined ? (characters[char] ?? char) : String.fromCodePoint(Number.parseInt(code, 16)),
  )
