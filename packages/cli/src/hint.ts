/**
 * Hints: command lines inside what a person reads, made such that they can be pasted.
 *
 * Whoever writes a text names a command plainly, as in "holdfast resume ses_1", also where the
 * options of the command line are not known, as in a failure of the runtime. Here they get the
 * options in force, without which they would work elsewhere, or with fewer tools.
 */
import type { AllowRule } from "@holdfast/sdk"

/** The options of a command line that the next one needs too. */
export interface OptionsInForce {
  readonly dataDir?: string
  readonly allow?: readonly AllowRule[]
  readonly server?: boolean
  readonly dir?: string
}

type Carried = "--data-dir" | "--allow" | "--no-server" | "--dir"

const looking: readonly Carried[] = ["--data-dir", "--no-server"]

/** Which of them each command has. */
export const carried: Readonly<Record<string, readonly Carried[]>> = {
  run: looking,
  resume: looking,
  window: looking,
  attach: looking,
  asks: looking,
  answer: looking,
  sessions: looking,
  show: looking,
  search: looking,
  set: looking,
  rename: looking,
  fork: looking,
  move: looking,
  archive: looking,
  export: looking,
  import: looking,
  replay: looking,
  turns: looking,
  image: looking,
  quarantine: looking,
  fold: looking,
  flush: looking,
  rebuild: looking,
  embed: looking,
  receipt: looking,
  dream: looking,
  interrupt: looking,
  delete: looking,
  models: ["--data-dir"],
  serve: ["--data-dir", "--allow"],
  doctor: ["--data-dir"],
}

/** Commands that are groups of others: each of their parts has them, and takes them behind its own name. */
export const carriedInParts: Readonly<
  Record<string, { readonly parts: readonly string[]; readonly options: readonly Carried[] }>
> = {
  memory: {
    parts: ["list", "show", "export", "add", "edit", "archive", "restore", "merge", "adopt", "separate"],
    options: [...looking, "--dir"],
  },
  note: { parts: ["list", "write", "update", "dismiss"], options: [...looking, "--dir"] },
  workspace: { parts: ["list", "create", "share", "add", "remove", "delete"], options: looking },
}

/** The text with the options in force in each command line that it names and that does not set them. */
export function pasteable(text: string, options: OptionsInForce): string {
  const words: readonly (readonly [Carried, string])[] = [
    ...(options.dataDir === undefined ? [] : [["--data-dir", ` ${quoted(options.dataDir)}`] as const]),
    ...(options.allow === undefined || options.allow.length === 0
      ? []
      : [["--allow", ` ${quoted(options.allow.join(","))}`] as const]),
    ...(options.server === false ? [["--no-server", ""] as const] : []),
    ...(options.dir === undefined ? [] : [["--dir", ` ${quoted(options.dir)}`] as const]),
  ]
  return text.replaceAll(commandLine, (line: string, command: string, rest: string) => {
    const group = Object.hasOwn(carriedInParts, command) ? carriedInParts[command] : undefined
    const known = group?.options ?? (Object.hasOwn(carried, command) ? carried[command] : undefined) ?? []
    if (known.length === 0 || rest.includes("--help")) return line
    const missing = words.filter(
      ([option]) => known.includes(option) && !new RegExp(`${option}(?![\\w-])`).test(rest),
    )
    const [, word = ""] = /^ ([a-z]+)/.exec(rest) ?? []
    const part = group?.parts.includes(word) === true ? ` ${word}` : ""
    return `holdfast ${command}${part}${missing.map(([option, value]) => ` ${option}${value}`).join("")}${rest.slice(part.length)}`
  })
}

/** The name of a command, and what follows it as far as it may be of the same line. */
const commandLine = /(?<![\w./-])holdfast ([a-z]+)\b((?:(?![;`\n]|[.,] |[.,]$|\bholdfast )[^])*)/g

/** As one word of a shell. */
export const quoted = (word: string): string =>
  /^[\w./:,=@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
