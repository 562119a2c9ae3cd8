/**
 * Program: the command line. It reads arguments, calls one command and turns whatever comes of it
 * into an exit code. The commands themselves are in `commands.ts`.
 */
import { type Command, CommanderError } from "commander"
import { buildProgram } from "./commands.ts"
import { exitCode } from "./outcome/exit-code.ts"
import type { OptionsInForce } from "./hint.ts"
import { guardTerminal, type Terminal } from "./terminal.ts"

export async function runHoldfast(argv: readonly string[], given: Terminal): Promise<number> {
  const terminal = guardTerminal(given)
  let code: number = exitCode.done
  const end = (ended: number) => {
    code = ended
  }
  const program = buildProgram(terminal, end, argv[0])
  let chosen: Chosen = { session: null, options: {} }
  program.hook("preAction", async (_, command) => {
    chosen = { session: sessionOf(command), options: command.opts() }
    if (terminal.directory === "") throw await directoryGone()
    if (opensStore(command)) (await import("./ahead.ts")).beginAhead(terminal, command.opts())
  })
  try {
    await program.parseAsync([...argv], { from: "user" })
    return code
  } catch (caught) {
    if (caught instanceof CommanderError && caught.exitCode === 0) return exitCode.done
    return explain(caught, chosen, program, argv, terminal)
  }
}

/** What is known of the command line once a command is chosen. */
interface Chosen {
  readonly session: string | null
  readonly options: OptionsInForce
}

/** Commands that a server may do the work of, and the server itself. */
const opensStore = (command: Command): boolean =>
  command.opts()["server"] !== undefined || command.name() === "serve"

async function directoryGone(): Promise<Error> {
  const { UsageError } = await import("./outcome/outcome.ts")
  return new UsageError("The current directory is not there any more. Change to another one, then try again.")
}

/** The Session that a command line names, as an argument or an option. */
function sessionOf(command: Command): string | null {
  const at = command.registeredArguments.findIndex((argument) => argument.name() === "session")
  const named: unknown = at === -1 ? command.opts()["session"] : command.processedArgs[at]
  return typeof named === "string" ? named : null
}

async function explain(
  caught: unknown,
  { session, options }: Chosen,
  program: Command,
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  if (caught instanceof CommanderError && caught.code === "commander.help") return exitCode.usage
  const { exitCodeOf, failureRecord, UsageError } = await import("./outcome/outcome.ts")
  const wrong = caught instanceof CommanderError ? new UsageError(usageText(caught, program, argv)) : caught
  const { pasteable } = await import("./hint.ts")
  const record = failureRecord(wrong, session, (message) => pasteable(message, options))
  terminal.complain(`${terminal.paint("red", "holdfast:")} ${record.reason?.message ?? ""}`)
  if (terminal.environment["HOLDFAST_DEBUG"] === "1")
    terminal.complain(caught instanceof Error ? (caught.stack ?? String(caught)) : JSON.stringify(caught))
  if (argv.includes("--json")) terminal.write(`${JSON.stringify(record)}\n`)
  return exitCodeOf(record)
}

function usageText({ code, message }: CommanderError, program: Command, argv: readonly string[]): string {
  // Who asked for the help of a command that is not there wants that of the one above it.
  const asked = code === "commander.unknownCommand" && argv[0] === "help" ? argv.slice(1) : argv
  const path = commandPath(program, asked)
  if (code === "commander.excessArguments") {
    const unknown = unknownPart(program, path, asked)
    if (unknown !== null) return unknown
  }
  const said = message
    .replace(/^error: /, "")
    .replace(/^(unknown command '(\w+)')[^]*$/, (all, start: string, word: string) =>
      program.options.some(({ long }) => long === `--${word}`) ? `${start}. Did you mean --${word}?` : all,
    )
    .replace(/\n\((Did you mean .*\?)\)$/, ". $1")
    .replace(/[.?]?$/, (end) => (end === "?" ? end : "."))
  return `${said} See ${["holdfast", ...path, "--help"].join(" ")}.`
}

/** A group of commands that does something without one takes no other word: whoever writes one meant a command. */
function unknownPart(program: Command, path: readonly string[], argv: readonly string[]): string | null {
  const group = path.reduce<Command | undefined>(
    (within, word) => within?.commands.find((command) => command.name() === word),
    program,
  )
  const word = argv.find((argument) => !argument.startsWith("-") && !path.includes(argument))
  if (group === undefined || group.commands.length === 0 || word === undefined) return null
  const names = group.commands.map((command) => command.name()).join(", ")
  return `${path.join(" ")} has no command '${word}'. There are ${names}. See ${["holdfast", ...path, "--help"].join(" ")}.`
}

/** The words that name a command, as far as there is one: its help is the one to read. */
function commandPath(program: Command, argv: readonly string[]): readonly string[] {
  const path: string[] = []
  let within = program
  for (const word of argv.filter((argument) => !argument.startsWith("-"))) {
    const found = within.commands.find((candidate) => candidate.name() === word)
    if (found === undefined) break
    path.push(word)
    within = found
  }
  return path
}
