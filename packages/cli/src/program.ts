/**
 * Program: the command line. It reads arguments, calls one command and turns whatever comes of it
 * into an exit code. The commands themselves are in `commands.ts`.
 */
import { type Command, CommanderError } from "commander"
import { buildProgram } from "./commands.ts"
import type { Terminal } from "./terminal.ts"

const usageExitCode = 2

export async function runHoldfast(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0
  const end = (exitCode: number) => {
    code = exitCode
  }
  const program = buildProgram(terminal, end)
  try {
    await program.parseAsync([...argv], { from: "user" })
    return code
  } catch (caught) {
    if (caught instanceof CommanderError && caught.exitCode === 0) return 0
    return explain(caught, program, argv, terminal)
  }
}

async function explain(
  caught: unknown,
  program: Command,
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  if (caught instanceof CommanderError && caught.code === "commander.help") return usageExitCode
  const { exitCodeOf, failureRecord, UsageError } = await import("./outcome.ts")
  const wrong = caught instanceof CommanderError ? new UsageError(usageText(caught, program, argv)) : caught
  const record = failureRecord(wrong)
  terminal.complain(`${terminal.paint("red", "holdfast:")} ${record.reason?.message ?? ""}`)
  if (terminal.environment["HOLDFAST_DEBUG"] === "1" && caught instanceof Error) {
    terminal.complain(caught.stack ?? String(caught))
  }
  if (argv.includes("--json")) terminal.write(`${JSON.stringify(record)}\n`)
  return exitCodeOf(record)
}

function usageText({ code, message }: CommanderError, program: Command, argv: readonly string[]): string {
  const [word = ""] = argv.filter((argument) => !argument.startsWith("-"))
  const known = code === "commander.unknownCommand" ? [] : program.commands.map((each) => each.name())
  const command = known.find((name) => name === word)
  const said = message
    .replace(/^error: /, "")
    .replace(/\n\((Did you mean .*\?)\)$/, ". $1")
    .replace(/[.?]?$/, (end) => (end === "?" ? end : "."))
  const quotes = code === "commander.excessArguments" && command === "run" ? " Put the text in quotes." : ""
  return `${said}${quotes} See holdfast ${command === undefined ? "" : `${command} `}--help.`
}
