/**
 * Completion for bash: one function that looks at the command, at the word before, then offers. After
 * `npx holdfast` it offers the same, and leaves other words of npx to whoever completed them before.
 */
import { programFunction, singleQuoted, sessionsCommand } from "./sessions-command.ts"
import type { CommandShape, ProgramShape, ValueShape } from "./shape.ts"

export function bashScript({ commands, options }: ProgramShape): string {
  const names = commands.map(({ name }) => name)
  const flags = options.map(({ flag }) => flag)
  return `# Completion of holdfast for bash. To try it: source <(holdfast completion bash)
${programFunction}
_holdfast_sessions() {
  ${sessionsCommand}
}
_holdfast_offer() {
  local found IFS=$' \\t\\n'
  found=$(compgen "$@" -- "\${COMP_WORDS[COMP_CWORD]}")
  IFS=$'\\n'
  COMPREPLY=($found)
}
_holdfast() {
  local previous=\${COMP_WORDS[COMP_CWORD-1]} command= data=() at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    case \${COMP_WORDS[at]} in
      --data-dir) data=(--data-dir "\${COMP_WORDS[at+1]}") ;;
      -*) ;;
      *) [[ -z $command ]] && command=\${COMP_WORDS[at]} ;;
    esac
  done
  case $command:$previous in
${commands.flatMap(valueCases).join("\n")}
  esac
  case $command:\${COMP_WORDS[COMP_CWORD]} in
${commands.map(optionCase).join("\n")}
    :-*) _holdfast_offer -W ${singleQuoted(flags.join(" "))} ;;
${commands.flatMap((command) => argumentCase(command, names)).join("\n")}
    :*) _holdfast_offer -W ${singleQuoted(names.join(" "))} ;;
  esac
}
_holdfast_npx() {
  if [[ \${COMP_WORDS[1]} == holdfast && COMP_CWORD -gt 1 ]]; then
    COMP_WORDS=("\${COMP_WORDS[@]:1}") COMP_CWORD=$((COMP_CWORD - 1))
    _holdfast
  elif [[ -n $_holdfast_npx_before ]]; then
    "$_holdfast_npx_before" "$@"
  elif ((COMP_CWORD == 1)); then
    _holdfast_offer -W holdfast
  else
    COMPREPLY=()
  fi
}
complete -F _holdfast holdfast
if [[ $(complete -p npx 2>/dev/null) != *_holdfast_npx* ]]; then
  _holdfast_npx_before=$(complete -p npx 2>/dev/null | sed -n 's/.*-F \\([^ ]*\\) .*/\\1/p')
fi
complete -o default -F _holdfast_npx npx
`
}

/** After an option that takes a value, only that value is offered. */
const valueCases = ({ name, options }: CommandShape): readonly string[] =>
  options.flatMap(({ flag, value }) =>
    value === null ? [] : [`    ${name}:${flag}) ${offer(value, [])}; return ;;`],
  )

const optionCase = ({ name, options }: CommandShape): string =>
  `    ${name}:-*) _holdfast_offer -W ${singleQuoted(options.map(({ flag }) => flag).join(" "))} ;;`

const argumentCase = ({ name, argument }: CommandShape, names: readonly string[]): readonly string[] =>
  argument === null || argument.kind === "free" ? [] : [`    ${name}:*) ${offer(argument, names)} ;;`]

function offer(value: ValueShape, names: readonly string[]): string {
  switch (value.kind) {
    case "words":
      return `_holdfast_offer -W ${singleQuoted(value.words.join(" "))}`
    case "session":
      return `_holdfast_offer -W "$(_holdfast_sessions "\${data[@]}")"`
    case "directory":
      return "_holdfast_offer -d"
    case "file":
      return "_holdfast_offer -f"
    case "command":
      return `_holdfast_offer -W ${singleQuoted(names.join(" "))}`
    case "free":
      return ":"
  }
}
