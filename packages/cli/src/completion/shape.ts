/**
 * The shape of the command line, as a completion script needs it: read from the declared commands,
 * so that a command or an option that is added there is completed without another word.
 */
import type { Argument, Command, Option } from "commander"

export interface CommandShape {
  readonly name: string
  readonly description: string
  readonly options: readonly OptionShape[]
  /** What its first argument is, or null if it takes none. */
  readonly argument: ValueShape | null
}

export interface OptionShape {
  /** With its dashes. */
  readonly flag: string
  readonly description: string
  /** What follows the flag, or null if nothing does. */
  readonly value: ValueShape | null
}

export type ValueShape =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "session" }
  | { readonly kind: "directory" }
  | { readonly kind: "file" }
  | { readonly kind: "command" }
  /** Anything: there is nothing to offer. */
  | { readonly kind: "free" }

export interface ProgramShape {
  readonly options: readonly OptionShape[]
  readonly commands: readonly CommandShape[]
}

export const describeProgram = (program: Command): ProgramShape => ({
  options: optionsOf(program),
  commands: program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: optionsOf(command),
    argument: argumentOf(command),
  })),
})

/** The commands below a command stand where others have their first argument. */
function argumentOf(command: Command): ValueShape | null {
  if (command.commands.length > 0)
    return { kind: "words", words: command.commands.map((each) => each.name()) }
  const [first] = command.registeredArguments
  return first === undefined ? null : valueOf(first)
}

/** The help option is not among the declared ones. */
function optionsOf(command: Command): readonly OptionShape[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap((option) => {
      const flag = option.long ?? option.short
      if (flag === undefined || flag === null) return []
      const value = option.required || option.optional ? valueOf(option) : null
      return { flag, description: option.description, value }
    })
}

/** By the choices that are declared, else by the word that stands in the help for the value. */
function valueOf(declared: Option | Argument): ValueShape {
  if (declared.argChoices !== undefined) return { kind: "words", words: declared.argChoices }
  const word = "flags" in declared ? /[<[]([^>\].]+)/.exec(declared.flags)?.[1] : declared.name()
  return kinds[word ?? ""] ?? { kind: "free" }
}

const kinds: Readonly<Record<string, ValueShape>> = {
  session: { kind: "session" },
  id: { kind: "session" },
  directory: { kind: "directory" },
  file: { kind: "file" },
  command: { kind: "command" },
  rule: { kind: "words", words: ["read", "write", "bash", "webfetch", "write,bash"] },
}
