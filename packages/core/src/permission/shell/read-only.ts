/**
 * Read-only commands: which commands only look, with the options that keep it so.
 *
 * An option that is not listed makes a command one like any other: `sort -o`, `find -exec` and
 * `git --output` write or run something. What a command reads is judged apart, path by path, so a
 * command that shows contents is of the table only where its paths are known beforehand, and none
 * that reads a whole tree is (`grep -r`): it would show files whose reading must be asked for.
 */
import { gitCommands, type ReadOnlyCommand, readOnlyCommands } from "./read-only-table.ts"
import type { Word } from "./words.ts"

export const isReadOnly = (words: readonly Word[]): boolean => findCommand(words) !== null

/** The words of a read-only command that may be paths; null for any other command. */
export function readPaths(words: readonly Word[]): readonly string[] | null {
  const found = findCommand(words)
  if (found === null) return null
  const { command, operands } = found
  if (command.words === "text" || command.words === "anything") return []
  return operands.flatMap((word) => (command.words === "revisions" ? revisionPaths(word) : [word]))
}

interface FoundCommand {
  readonly command: ReadOnlyCommand
  /** Its words that are no options, and the values of options. */
  readonly operands: readonly string[]
}

function findCommand(words: readonly Word[]): FoundCommand | null {
  const [first, second] = words
  if (first?.literal !== true) return null
  if (first.text === "sed") return findSed(words)
  const isGit = first.text === "git"
  if (isGit && second?.literal !== true) return null
  const table = isGit ? gitCommands : readOnlyCommands
  const name = (isGit ? second : first)?.text ?? ""
  const command = Object.hasOwn(table, name) ? table[name] : undefined
  return command === undefined ? null : findOperands(command, words.slice(isGit ? 2 : 1))
}

function findOperands(command: ReadOnlyCommand, words: readonly Word[]): FoundCommand | null {
  if (!words.every((word) => isKnown(command, word))) return null
  const end = words.findIndex((word) => word.text === "--")
  const before = end === -1 ? words : words.slice(0, end)
  const options = before.filter(isOption)
  if (!options.every(({ text: option }) => isPermitted(command, option))) return null
  const plain = [...before.filter((word) => !isOption(word)), ...words.slice(before.length + 1)]
  const { leading = 0, wordsMin = 0, wordsMax = Number.MAX_SAFE_INTEGER, form } = command
  if (plain.length < wordsMin || plain.length > wordsMax) return null
  if (form !== undefined && !plain.every((word) => form.test(word.text))) return null
  const values = options.flatMap(({ text: option }) => valueOf(option))
  return { command, operands: [...plain.slice(leading).map((word) => word.text), ...values] }
}

/** Of a file that is shown the name must be known, of one that is named only that it becomes no option. */
const isKnown = ({ words: kind }: ReadOnlyCommand, { literal, text: source }: Word): boolean =>
  literal ||
  (kind === "anything" && !/[*?[{~<]/.test(source.replaceAll("$?", ""))) ||
  (kind === "names" && isSafeWildcard(source))

/** A wildcard behind a folder name yields paths, never options; what it fits lies in that folder. */
const isSafeWildcard = (source: string): boolean =>
  /^[\w.][\w./-]*[*?][\w.*?-]*$/.test(source) && !source.includes("..")

const isOption = ({ literal, text: word }: Word): boolean => literal && word.startsWith("-") && word !== "-"

function isPermitted({ letters = "", options = [] }: ReadOnlyCommand, option: string): boolean {
  const name = option.split("=", 1)[0] ?? ""
  if (options.includes(name)) return true
  if (option.startsWith("--") || letters === "") return false
  return option
    .slice(1)
    .split("")
    .every((letter) => letters.includes(letter))
}

function valueOf(option: string): readonly string[] {
  const at = option.indexOf("=")
  return at === -1 ? [] : [option.slice(at + 1)]
}

/** `HEAD:path` shows a file of another time. */
function revisionPaths(word: string): readonly string[] {
  const at = word.lastIndexOf(":")
  return at === -1 ? [word] : [word, word.slice(at + 1)]
}

/** Only to print lines by their numbers; any other script may write a file or run a program. */
function findSed(words: readonly Word[]): FoundCommand | null {
  const [, quiet, script, ...files] = words
  const isPlain = quiet?.text === "-n" && /^(?:\d+|\$)(?:,(?:\d+|\$))?p$/.test(script?.text ?? "")
  const isKnownFile = files.every(({ literal, text: file }) => literal && !file.startsWith("-"))
  const operands = files.map(({ text: file }) => file)
  return isPlain && isKnownFile ? { command: { words: "contents" }, operands } : null
}
