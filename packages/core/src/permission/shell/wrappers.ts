/**
 * Wrappers: commands that run other commands. What they run is judged, and what makes them run
 * something that nobody sees beforehand is not understood.
 *
 *   timeout 5 npm test      is npm test
 *   sudo npm test           is itself, and npm test
 *   sh -c 'a && b'          is a and b
 *   xargs rm                is rm with words that nobody knows
 */
import { expandedWord, literalWord, type Word } from "./words.ts"

export interface Unwrapped {
  readonly commands: readonly (readonly Word[])[]
  /** Texts of commands that are run by a shell. */
  readonly scripts: readonly string[]
  readonly understood: boolean
}

const wrappersMax = 8

export function unwrap(words: readonly Word[]): Unwrapped {
  const outer: (readonly Word[])[] = []
  let inner = words
  for (let times = 0; times < wrappersMax; times++) {
    const [first, ...rest] = named(inner)
    if (first?.literal !== true || first.text === "") return notUnderstood
    const found = openWrapper(first.text, rest)
    if (found === "none") return { commands: [...outer, [first, ...rest]], scripts: [], understood: true }
    if (found === "nothing") return { commands: outer, scripts: [], understood: true }
    if (found === "not understood") return notUnderstood
    if (typeof found === "string")
      return { commands: outer, scripts: [found.slice(scriptMark.length)], understood: true }
    if (raising.has(first.text)) outer.push([first, ...rest])
    inner = found
  }
  return notUnderstood
}

const notUnderstood: Unwrapped = { commands: [], scripts: [], understood: false }

/** What a wrapper runs: other words, nothing that counts, or a script, which stands behind its mark. */
type Wrapped = readonly Word[] | "none" | "nothing" | "not understood" | `${typeof scriptMark}${string}`
const scriptMark = "script:"

/** A program of the system is the same by its path and by its name. */
function named(words: readonly Word[]): readonly Word[] {
  const [first, ...rest] = words
  const name = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/.exec(first?.text ?? "")?.[1]
  return first?.literal === true && name !== undefined ? [literalWord(name), ...rest] : words
}

/** They give rights that the command alone does not have. */
const raising = new Set(["sudo", "doas"])

function openWrapper(name: string, rest: readonly Word[]): Wrapped {
  if (changing.has(name)) return name === "set" && isHarmlessSet(rest) ? "nothing" : "not understood"
  if (shells.has(name)) return openShell(rest)
  if (interpreters.has(name) && (rest.length === 0 || rest.at(-1)?.text === "-")) return "not understood"
  switch (name) {
    case "command":
      return openPlain(rest[0]?.text === "-v" ? [literalWord("type"), ...rest.slice(1)] : rest)
    case "busybox":
    case "doas":
    case "env":
    case "nohup":
    case "setsid":
    case "sudo":
      return openPlain(rest)
    case "time":
      return openPlain(rest[0]?.text === "-p" ? rest.slice(1) : rest)
    case "nice":
      return openPlain(behindOptions(rest, { n: true }, /^-\d+$/))
    case "stdbuf":
      return openPlain(behindOptions(rest, { i: true, o: true, e: true }))
    case "timeout":
      return openTimeout(rest)
    case "xargs":
      return openXargs(rest)
    case "cd":
      return rest.length === 1 && rest[0]?.literal === true && !rest[0].text.startsWith("-")
        ? "none"
        : "not understood"
    case "find":
      return rest.some(({ literal, text }) => !literal || /^-(?:exec|ok)/.test(text))
        ? "not understood"
        : "none"
    case "git":
      return openGit(rest)
    default:
      return "none"
  }
}

/** They change what later words mean, or run what they are given as a text. */
const changing = new Set(
  [
    "eval source . exec alias unalias hash enable set shopt trap read mapfile readarray getopts let pushd popd",
    "coproc builtin bind complete export declare typeset local readonly unset fc history",
  ].flatMap((line) => line.split(" ")),
)
const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"])
/** Without a file they take their program from the words or files before them. */
const interpreters = new Set(
  "python python2 python3 node nodejs deno bun perl ruby php lua tclsh osascript psql mysql sqlite3 awk bc".split(
    " ",
  ),
)

const isHarmlessSet = (rest: readonly Word[]): boolean =>
  rest.length > 0 && rest.every(({ literal, text }) => literal && /^(?:-[eux]+o?|pipefail)$/.test(text))

/** The command begins with the next word; an option or an assignment there is not understood. */
function openPlain(rest: readonly Word[] | null): Wrapped {
  const [first] = rest ?? []
  if (rest === null || first?.literal !== true || /^-|=/.test(first.text)) return "not understood"
  return rest
}

/** The words behind options that are known, each with whether a value follows it; null for others. */
function behindOptions(
  words: readonly Word[],
  known: Readonly<Record<string, boolean>>,
  alone?: RegExp,
): readonly Word[] | null {
  for (let at = 0; at < words.length; at++) {
    const { literal, text } = words[at] as Word
    if (!literal || !text.startsWith("-")) return words.slice(at)
    if (alone?.test(text) === true) continue
    const letter = text[1] ?? ""
    if (!Object.hasOwn(known, letter) || text.startsWith("--")) return null
    if (known[letter] === true && text.length === 2) at += 1
    else if (known[letter] === false && text.length > 2) return null
  }
  return []
}

function openTimeout(words: readonly Word[]): Wrapped {
  const rest = behindOptions(
    words,
    { s: true, k: true },
    /^--(?:foreground|preserve-status|(?:signal|kill-after)=\w+)$/,
  )
  return rest?.[0]?.literal === true && /^[\d.]+[smhd]?$/.test(rest[0].text)
    ? openPlain(rest.slice(1))
    : "not understood"
}

function openXargs(words: readonly Word[]): Wrapped {
  const known = {
    "0": false,
    r: false,
    t: false,
    x: false,
    n: true,
    P: true,
    L: true,
    I: true,
    d: true,
    s: true,
  }
  const rest = behindOptions(words, known, /^--(?:null|no-run-if-empty|verbose)$/)
  if (rest === null) return "not understood"
  const replaced = replacedBy(words.slice(0, words.length - rest.length))
  const command = rest.length === 0 ? [literalWord("echo")] : rest
  if (replaced === null) return openPlain([...command, expandedWord("$@")])
  return openPlain(command.map((word) => (word.text.includes(replaced) ? expandedWord(word.text) : word)))
}

/** What `-I` names, in whose place the words come; null where they come last. */
function replacedBy(options: readonly Word[]): string | null {
  const at = options.findLastIndex(({ text }) => text.startsWith("-I"))
  if (at === -1) return null
  return options[at]?.text.slice(2) || (options[at + 1]?.text ?? null)
}

/** A script in the next word; or a file, which is a command like any other. */
function openShell(rest: readonly Word[]): Wrapped {
  const [first, second] = rest
  if (first?.literal !== true) return "not understood"
  if (/^-[eux]*c$/.test(first.text))
    return second?.literal === true ? `${scriptMark}${second.text}` : "not understood"
  return first.text.startsWith("-") ? "not understood" : "none"
}

/** Options before the verb change where Git works and what it runs; those about paging do nothing here. */
function openGit(rest: readonly Word[]): Wrapped {
  const [first] = rest
  if (first?.literal === false) return "not understood"
  if (first === undefined || !first.text.startsWith("-")) return "none"
  if (first.text === "--no-pager" || first.text === "-P") return [literalWord("git"), ...rest.slice(1)]
  return first.text === "--version" ? "none" : "not understood"
}
