/**
 * Program: the command line. It reads arguments, calls one command and turns whatever comes of it
 * into an exit code. Commands are loaded when they are chosen, so that `--help` stays quick.
 */
import { readFileSync } from "node:fs"
import { Command, CommanderError, InvalidArgumentError, Option } from "commander"
import type { AllowedTool } from "@holdfast/sdk"
import type { CommonOptions, RunOptions } from "./run.ts"
import type { ProviderSimOptions } from "./provider-sim.ts"
import type { SessionsOptions } from "./sessions.ts"
import type { Terminal } from "./terminal.ts"
import type { TurnsOptions } from "./turns.ts"

const usageExitCode = 2
const sessionsLimit = 20

export async function runHoldfast(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0
  const end = (exitCode: number) => {
    code = exitCode
  }
  try {
    await buildProgram(terminal, end).parseAsync([...argv], { from: "user" })
    return code
  } catch (caught) {
    if (caught instanceof CommanderError && caught.exitCode === 0) return 0
    return explain(caught, argv, terminal)
  }
}

async function explain(caught: unknown, argv: readonly string[], terminal: Terminal): Promise<number> {
  if (caught instanceof CommanderError && caught.code === "commander.help") return usageExitCode
  const { exitCodeOf, failureRecord, UsageError } = await import("./outcome.ts")
  const wrong = caught instanceof CommanderError ? new UsageError(usageText(caught, argv)) : caught
  const record = failureRecord(wrong)
  terminal.complain(`${terminal.paint("red", "holdfast:")} ${record.reason?.message ?? ""}`)
  if (terminal.environment["HOLDFAST_DEBUG"] === "1" && caught instanceof Error) {
    terminal.complain(caught.stack ?? String(caught))
  }
  if (argv.includes("--json")) terminal.write(`${JSON.stringify(record)}\n`)
  return exitCodeOf(record)
}

function usageText({ code, message }: CommanderError, argv: readonly string[]): string {
  const [command = ""] = argv.filter((word) => !word.startsWith("-"))
  const said = message.replace(/^error: /, "").replace(/\.?$/, ".")
  const quotes = code === "commander.excessArguments" && command === "run" ? " Put the text in quotes." : ""
  const known = ["run", "resume", "sessions", "turns", "provider-sim"].includes(command)
  return `${said}${quotes} See holdfast ${known ? `${command} ` : ""}--help.`
}

function buildProgram(terminal: Terminal, end: (code: number) => void): Command {
  const program = new Command("holdfast")
    .description("A durable session runtime for AI agents: what was acknowledged is never lost.")
    .version(version(), "--version", "print the version")
    .helpOption("--help", "show this help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: terminal.write, writeErr: (text) => showErrors(terminal, text) })
    .addHelpText("after", examples(programExamples) + exitCodes)
  addRun(program, terminal, end)
  addResume(program, terminal, end)
  addSessions(program, terminal, end)
  addTurns(program, terminal, end)
  addProviderSim(program, terminal, end)
  return program
}

/** Commander also writes the help of a missing command here; its errors are told by `explain`. */
function showErrors(terminal: Terminal, text: string): void {
  if (!text.startsWith("error:")) terminal.complain(text.trimEnd())
}

type End = (code: number) => void

function addRun(program: Command, terminal: Terminal, end: End): void {
  commonOptions(program.command("run"))
    .description("send a prompt to a new Session, or to one that exists, and follow it to its end")
    .argument("<text>", "the prompt; - reads it from standard input")
    .option("--session <id>", "go on with this Session")
    .addOption(
      new Option("--dir <directory>", "work in this directory (default: the current one)").conflicts(
        "session",
      ),
    )
    .option("--model <provider/model>", "answer with this model from now on")
    .addOption(
      new Option(
        "--delivery <kind>",
        "when a running Session takes the prompt: at its next turn, or when it would be idle",
      )
        .choices(["steer", "queue"])
        .default("steer"),
    )
    .addHelpText("after", examples(runExamples) + exitCodes)
    .action(async (text: string, options: RunOptions) => {
      const { runPrompt } = await import("./run.ts")
      end(await runPrompt(terminal, text, options))
    })
}

function addResume(program: Command, terminal: Terminal, end: End): void {
  commonOptions(program.command("resume"))
    .description("let a Session finish what it owes, after a crash, a failure or an interrupt")
    .argument("<session>", "the id of the Session")
    .addHelpText(
      "after",
      examples(["holdfast resume ses_…", "holdfast resume ses_… --allow write,bash --json"]) + exitCodes,
    )
    .action(async (session: string, options: CommonOptions) => {
      const { resumeSession } = await import("./run.ts")
      end(await resumeSession(terminal, session, options))
    })
}

function addSessions(program: Command, terminal: Terminal, end: End): void {
  storeOptions(program.command("sessions"))
    .description("list Sessions, newest first")
    .option("--limit <count>", "how many at most", positive, sessionsLimit)
    .addHelpText("after", examples(["holdfast sessions", "holdfast sessions --limit 5 --json"]))
    .action(async (options: SessionsOptions) => {
      const { listSessions } = await import("./sessions.ts")
      end(await listSessions(terminal, options))
    })
}

function addTurns(program: Command, terminal: Terminal, end: End): void {
  storeOptions(program.command("turns"))
    .description("show the ledger of a Session: tokens, cache, cost and breaks of every turn")
    .argument("<session>", "the id of the Session")
    .option("--verify", "rebuild every request from the log and compare; exit code 1 if one is different")
    .addHelpText("after", examples(["holdfast turns ses_…", "holdfast turns ses_… --verify"]))
    .action(async (session: string, options: TurnsOptions) => {
      const { listTurns } = await import("./turns.ts")
      end(await listTurns(terminal, session, options))
    })
}

function addProviderSim(program: Command, terminal: Terminal, end: End): void {
  program
    .command("provider-sim")
    .description("serve the offline model on loopback, and print the configuration that uses it")
    .option("--port <number>", "listen on this port (default: any free one)", positive)
    .option("--model <names...>", "names of the models to serve (default: agent)")
    .addHelpText(
      "after",
      examples(["holdfast provider-sim", "holdfast provider-sim --port 4010 --model agent"]),
    )
    .action(async (options: ProviderSimOptions) => {
      const { serveOffline } = await import("./provider-sim.ts")
      end(await serveOffline(terminal, options))
    })
}

const commonOptions = (command: Command): Command =>
  storeOptions(command).option(
    "--allow <tools>",
    "tools beyond read, with commas between them: write, bash",
    toolList,
  )

const storeOptions = (command: Command): Command =>
  command
    .helpOption("--help", "show this help")
    .option("--json", "print JSON, one object a line")
    .option("--data-dir <directory>", "where Sessions are kept (default: HOLDFAST_DATA_DIR, else XDG data)")

/** `read` is always there, so naming it is no mistake. */
function toolList(text: string): readonly AllowedTool[] {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "read")
  const unknown = names.find((name) => name !== "write" && name !== "bash")
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no tool ${JSON.stringify(unknown)}: use write, bash.`)
  return names as readonly AllowedTool[]
}

function positive(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError("It must be a whole number above 0.")
  return value
}

const version = (): string =>
  (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string })
    .version

const examples = (lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`

const programExamples = [
  'holdfast run "Describe this project."',
  'holdfast run --allow write,bash "Run the tests and mend what fails."',
  "holdfast sessions",
  "holdfast turns ses_… --verify",
]

const runExamples = [
  'holdfast run "Describe this project."',
  'holdfast run --session ses_… "And now the tests."',
  'holdfast run --dir ../other --allow write "Create notes.md with \\"hello\\"."',
  "git diff | holdfast run --json -",
]

const exitCodes = `
Exit codes: 0 done, 1 failed, 2 wrong arguments or configuration, 3 blocked, 130 interrupted.
Without a configured provider the offline model answers. Without --allow only the tool read is offered.
`
