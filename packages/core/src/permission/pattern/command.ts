/**
 * Command patterns: words against the words of one simple command.
 *
 *   git push        the command with exactly these words
 *   npm run *       a last `*` stands for any further words, none included
 *   npm run test:*  inside a word it stands for any characters; where the rule restricts, `test` alone is
 *                   covered too, since others write `git push:*` for a command and what follows it
 *   :read-only      every command of the table of commands that only read
 *
 * Quotes hold a word together and take the meaning from a star.
 */
import { isReadOnly } from "../shell/read-only.ts"
import { readWords, type Word } from "../shell/words.ts"
import { everything, type Fit, type Pattern, readStars } from "./fit.ts"

/** Null where a quote is not closed. */
export function readCommandRule(text: string): Pattern | null {
  if (text === "*") return everything
  if (text === ":read-only") return readOnlyCommands
  const words = text.match(patternWord) ?? []
  if (text.replaceAll(patternWord, "").trim() !== "") return null
  const open = words.at(-1) === "*"
  const given = open ? words.slice(0, -1) : words
  const wanted = given.map(readWord)
  const restricted = given.map(readRestrictedWord)
  return {
    fits: (command, { generous }) =>
      fitsWords(generous ? restricted : wanted, readWords(command), open || generous),
  }
}

const patternWord = /(?:[^\s"']|"[^"]*"|'[^']*')+/g

const readOnlyCommands: Pattern = {
  fits: (command) => {
    const words = readWords(command)
    return words !== null && isReadOnly(words) ? "yes" : "no"
  },
}

/** Quoted pieces are literal; a star outside of them stands for any characters. */
function readWord(word: string): (text: string) => boolean {
  if (!/["']/.test(word)) return readStars(word)
  const bare = word.replaceAll(
    /"([^"]*)"|'([^']*)'/g,
    (_, double?: string, single?: string) => double ?? single ?? "",
  )
  return word.replaceAll(/"[^"]*"|'[^']*'/g, "").includes("*") ? readStars(bare) : (text) => text === bare
}

function readRestrictedWord(word: string): (text: string) => boolean {
  const [asStars, alone] = [readWord(word), readWord(word.replace(/:\*$/, ""))]
  return (text) => asStars(text) || alone(text)
}

/** What the shell will expand may become any word, or several, or none. */
function fitsWords(
  wanted: readonly ((text: string) => boolean)[],
  words: readonly Word[] | null,
  open: boolean,
): Fit {
  if (words === null || words[0]?.literal !== true) return "maybe"
  for (const [index, fits] of wanted.entries()) {
    const word = words[index]
    if (word === undefined) return "no"
    if (!word.literal) return "maybe"
    if (!fits(word.text)) return "no"
  }
  if (open || words.length === wanted.length) return "yes"
  return words.slice(wanted.length).every(({ literal }) => !literal) ? "maybe" : "no"
}
