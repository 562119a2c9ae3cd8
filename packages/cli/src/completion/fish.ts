/** Completion for fish, one rule a word. */
import { sessionsCommand } from "./sessions-command.ts"
import type { CommandShape, OptionShape, ProgramShape, ValueShape } from "./shape.ts"

export function fishScript({ commands, options }: ProgramShape): string {
  const names = commands.map(({ name }) => name)
  const lines = [
    ...options.map((option) => rule("-n __fish_use_subcommand", optionRule(option, names))),
    ...commands.map(({ name, description }) =>
      rule("-n __fish_use_subcommand", `-a ${name} -d ${quoted(description)}`),
    ),
    ...commands.flatMap((command) => commandRules(command, names)),
  ]
  return `# Completion of holdfast for fish: holdfast completion fish > ~/.config/fish/completions/holdfast.fish
function _holdfast_program
    if type -q holdfast; holdfast $argv; else; npx --no holdfast $argv; end
end
function __holdfast_sessions
    ${sessionsCommand.replace('"$@" ', "")}
end
complete -c holdfast -f
${lines.join("\n")}
function __holdfast_by_npx
    set -l words (commandline -opc)
    test "$words[1]" = npx; and test "$words[2]" = holdfast
end
function __holdfast_npx
    set -l words (commandline -opc)
    set -e words[1]
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end
complete -c npx -n __fish_is_first_token -a holdfast -d 'A durable session runtime for AI agents'
complete -c npx -n __holdfast_by_npx -f -a '(__holdfast_npx)'
`
}

const rule = (condition: string, rest: string): string => `complete -c holdfast ${condition} ${rest}`

function commandRules(
  { name, options, argument }: CommandShape,
  names: readonly string[],
): readonly string[] {
  const condition = `-n '__fish_seen_subcommand_from ${name}'`
  const offered = argument === null ? null : wordsOf(argument, names)
  return [
    ...options.map((option) => rule(condition, optionRule(option, names))),
    ...(offered === null ? [] : [rule(condition, `-a ${quoted(offered)}`)]),
  ]
}

function optionRule({ flag, description, value }: OptionShape, names: readonly string[]): string {
  const long = `-l ${flag.replace(/^--/, "")} -d ${quoted(description)}`
  if (value === null) return long
  const offered = wordsOf(value, names)
  return offered === null ? `${long} -x` : `${long} -x -a ${quoted(offered)}`
}

function wordsOf(value: ValueShape, names: readonly string[]): string | null {
  switch (value.kind) {
    case "words":
      return value.words.join(" ")
    case "session":
      return "(__holdfast_sessions)"
    case "directory":
      return "(__fish_complete_directories)"
    case "file":
      return "(__fish_complete_path)"
    case "command":
      return names.join(" ")
    case "free":
      return null
  }
}

/** In single quotes fish takes everything as it is, but for these two. */
const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, (mark) => `\\${mark}`)}'`
