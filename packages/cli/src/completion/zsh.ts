/** Completion for zsh, with the descriptions that the help gives. */
import { programFunction, singleQuoted, sessionsCommand } from "./sessions-command.ts"
import type { CommandShape, OptionShape, ProgramShape, ValueShape } from "./shape.ts"

export function zshScript({ commands, options }: ProgramShape): string {
  return `#compdef holdfast npx
# Completion of holdfast for zsh. To use it: holdfast completion zsh > "\${fpath[1]}/_holdfast"
_holdfast_sessions() {
  local -a ids
  ids=(\${(f)"$(_holdfast_list)"})
  compadd -a ids
}
${programFunction}
_holdfast_list() {
  ${sessionsCommand}
}
_holdfast_commands() {
  local -a commands
  commands=(
${commands.map(({ name, description }) => `    ${singleQuoted(`${name}:${description}`)}`).join("\n")}
  )
  _describe command commands
}
_holdfast_npx() {
  if (( $+functions[_npx] )); then _npx "$@"; return; fi
  (( CURRENT == 2 )) && compadd holdfast
  _default
}
_holdfast() {
  local state line
  if [[ $service == npx ]]; then
    if [[ $words[2] != holdfast || CURRENT -le 2 ]]; then _holdfast_npx "$@"; return; fi
    shift words
    (( CURRENT-- ))
  fi
  _arguments -C \\
${options.map((option) => `    ${optionSpec(option)} \\`).join("\n")}
    '1: :_holdfast_commands' '*:: :->rest'
  [[ $state == rest ]] || return
  case $words[1] in
${commands.map(commandCase).join("\n")}
  esac
}
if [[ $funcstack[1] == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast npx; fi
`
}

function commandCase({ name, options, argument }: CommandShape): string {
  const specs = options.map(optionSpec)
  if (argument !== null) specs.push(singleQuoted(`1: :${actionOf(argument)}`))
  return `    ${name}) _arguments ${specs.join(" ")} ;;`
}

function optionSpec({ flag, description, value }: OptionShape): string {
  const said = description.replaceAll(/[[\]:]/g, (mark) => `\\${mark}`)
  return singleQuoted(`${flag}[${said}]${value === null ? "" : `: :${actionOf(value)}`}`)
}

function actionOf(value: ValueShape): string {
  switch (value.kind) {
    case "words":
      return `(${value.words.join(" ")})`
    case "session":
      return "_holdfast_sessions"
    case "directory":
      return "_directories"
    case "file":
      return "_files"
    case "command":
      return "_holdfast_commands"
    case "free":
      return " "
  }
}
