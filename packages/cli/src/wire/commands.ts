/** The commands below `holdfast wire`, for those who tend wires or ask what was sent. */
import type { Command } from "commander"
import type { End } from "../commands.ts"
import type { DeclaredOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { LintOptions } from "./lint.ts"
import type { RecordOptions } from "./record.ts"
import type { ReplayOptions } from "./replay.ts"
import type { ShowOptions } from "./show.ts"

/** `declared` gives the options that many commands have. */
export function addWire(program: Command, terminal: Terminal, end: End, declared: DeclaredOptions): void {
  const wire = declared
    .help(program.command("wire"))
    .description("replay recordings, lint requests, show what a turn sent, record an exchange")
    .helpCommand(false)
    .addHelpText("after", declared.examples(groupExamples))
  addReplay(wire, terminal, end, declared)
  addLint(wire, terminal, end, declared)
  addShow(wire, terminal, end, declared)
  addRecord(wire, terminal, end, declared)
}

function addReplay(wire: Command, terminal: Terminal, end: End, declared: DeclaredOptions): void {
  declared
    .json(wire.command("replay"))
    .description("put a recording through its wire, both ways, and print the canonical events")
    .argument("<file>", "the recording")
    .option("--wire <name>", "the wire that speaks in it (default: recognised by the address)")
    .addHelpText(
      "after",
      `${declared.examples(["holdfast wire replay streams-text.json", "holdfast wire replay streams-text.json --json"])}
Exit codes: 0 the same, 1 the request or its answer is not, 2 the file cannot be read.
`,
    )
    .action(async (file: string, options: ReplayOptions) => {
      const { replayFile } = await import("./replay.ts")
      end(await replayFile(terminal, file, options))
    })
}

function addLint(wire: Command, terminal: Terminal, end: End, declared: DeclaredOptions): void {
  declared
    .json(wire.command("lint"))
    .description("judge a request, or those of a recording, as the simulated provider of a wire does")
    .argument("<file>", "the JSON of a request, or a recording")
    .requiredOption("--wire <name>", "the wire whose provider judges")
    .addHelpText(
      "after",
      `${declared.examples(["holdfast wire lint --wire anthropic-messages request.json"])}
Exit codes: 0 legal, 1 faults, 2 the file cannot be read.
`,
    )
    .action(async (file: string, options: LintOptions) => {
      const { lintFile } = await import("./lint.ts")
      end(await lintFile(terminal, file, options))
    })
}

function addShow(wire: Command, terminal: Terminal, end: End, declared: DeclaredOptions): void {
  declared
    .shared(wire.command("show"))
    .description("print the very bytes that a turn sent, rebuilt from the log")
    .addArgument(declared.session())
    .argument("<turn>", "the id of the turn, or its number in holdfast turns")
    .option("--headers", "print method, address and names of headers before them")
    .addHelpText(
      "after",
      `${declared.examples(["holdfast wire show ses_… 1", "holdfast wire show ses_… 2 --headers"])}
Exit codes: 0 the same bytes, 1 different, other encoder version or unreadable, 2 there is no such turn.
`,
    )
    .action(async (session: string, turn: string, options: ShowOptions) => {
      const { showSent } = await import("./show.ts")
      end(await showSent(terminal, session, turn, options))
    })
}

function addRecord(wire: Command, terminal: Terminal, end: End, declared: DeclaredOptions): void {
  declared
    .help(wire.command("record"))
    .description("send one request to a configured model and keep the exchange as a recording")
    .argument("[text]", "the prompt")
    .requiredOption("--provider <name>", "the provider, as it is configured")
    .requiredOption("--model <name>", "its model")
    .requiredOption("--to <file>", "where the recording goes; a file that exists is left alone")
    .option("--body <file>", "send exactly this JSON, as the provider's wire has it, in place of a prompt")
    .addHelpText(
      "after",
      `${declared.examples(['holdfast wire record --provider anthropic --model claude-sonnet-4-6 --to hello.json "Say hello."', "holdfast wire record --provider anthropic --model claude-sonnet-4-6 --to tools.json --body request.json"])}
It costs what a prompt costs. Keys, cookies and ids of accounts are not kept; if any is found, nothing is written.
Exit codes: 0 recorded, 1 refused or failed, 2 wrong arguments or configuration.
`,
    )
    .action(async (text: string | undefined, options: RecordOptions) => {
      const { recordToFile } = await import("./record.ts")
      end(await recordToFile(terminal, text, options))
    })
}

const groupExamples = [
  "holdfast wire replay streams-text.json",
  "holdfast wire lint --wire anthropic-messages request.json",
  "holdfast wire show ses_… 1",
]
