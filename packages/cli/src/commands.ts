/**
 * Commands: every command of `holdfast` with its options, its help and the module that does it.
 *
 * Modules are loaded when their command is chosen, so that `--help` stays quick. Help, completion
 * and the messages about wrong arguments all come from here: what is declared once cannot be
 * forgotten elsewhere.
 */
import { Argument, Command, Option } from "commander"
import { addAnswer, addAsks } from "./asking/commands.ts"
import { addExport } from "./bundle/commands.ts"
import { addAudit } from "./audit/commands.ts"
import type { AttachOptions } from "./conversation/attach.ts"
import { addCompletion } from "./completion/commands.ts"
import { addConfig } from "./config/commands.ts"
import { addAgents, addSkills } from "./described/commands.ts"
import type { DoctorOptions } from "./doctor/doctor.ts"
import { exitCodeList } from "./outcome/exit-code.ts"
import { addImage } from "./images/commands.ts"
import { addImport } from "./import/commands.ts"
import { addMemory } from "./memory/commands.ts"
import { addNote } from "./memory/note-commands.ts"
import { addWorkspace } from "./memory/workspace-commands.ts"
import type { ModelsOptions } from "./models/models.ts"
import {
  allowedHostOption,
  allowedOriginOption,
  allowOption,
  budgetOptions,
  deadlineOption,
  type DeclaredOptions,
  declaredOptions,
  directoryName,
  examples,
  fileList,
  helpOption,
  logFormatOption,
  logLevelOption,
  onAskOption,
  onRestartOption,
  portNumber,
  sessionArgument,
  systemOption,
  sharedOptions,
  storeOptions,
  workOptions,
} from "./options.ts"
import type { ProviderSimOptions } from "./provider-sim.ts"
import { addPermissions } from "./permissions/commands.ts"
import { addPty } from "./pty/commands.ts"
import { addReplay } from "./replay/commands.ts"
import type { CommonOptions, RunOptions } from "./run.ts"
import type { ServeOptions } from "./server/serve.ts"
import { addSearch } from "./search/commands.ts"
import {
  addArchive,
  addDelete,
  addFork,
  addInbox,
  addInterrupt,
  addMove,
  addQuarantine,
  addRename,
  addSessions,
  addSet,
  addShow,
} from "./sessions/commands.ts"
import { addRecall } from "./recall/commands.ts"
import type { Terminal } from "./terminal.ts"
import { wrapFor } from "./text-width.ts"
import type { TurnsOptions } from "./turns.ts"
import { version } from "./version.ts"
import type { WindowOptions } from "./window/window.ts"
import { addWire } from "./wire/commands.ts"

/** Tells the exit code of a command that has come to its end. */
export type End = (code: number) => void

type Add = (program: Command, terminal: Terminal, end: End, options: DeclaredOptions) => void

/** By heading, then by the name of the command; what adds several names them all. */
const sections: Readonly<Record<string, Readonly<Record<string, Add>>>> = {
  "Work with an agent:": {
    run: addRun,
    resume: addResume,
    attach: addAttach,
    asks: addAsks,
    answer: addAnswer,
    inbox: addInbox,
    interrupt: addInterrupt,
  },
  "Sessions:": {
    sessions: addSessions,
    show: addShow,
    "search embed": addSearch,
    memory: addMemory,
    note: addNote,
    workspace: addWorkspace,
    set: addSet,
    rename: addRename,
    fork: addFork,
    move: addMove,
    export: addExport,
    import: addImport,
    archive: addArchive,
    image: addImage,
    quarantine: addQuarantine,
    delete: addDelete,
  },
  "The context window, and what it costs:": {
    window: addWindow,
    turns: addTurns,
    "fold flush rebuild receipt dream": addRecall,
    replay: addReplay,
    audit: addAudit,
  },
  "Server and terminals:": { serve: addServe, pty: addPty },
  "Setup:": {
    models: addModels,
    agents: addAgents,
    skills: addSkills,
    permissions: addPermissions,
    config: addConfig,
    doctor: addDoctor,
  },
  "For developers:": {
    wire: addWire,
    "provider-sim": addProviderSim,
    completion: addCompletion,
    help: addHelp,
  },
}

/** These tell of all commands. */
const tellsOfAll = ["completion", "help"]

/**
 * `asked` is the first word of the command line. Where it is the name of a command, nothing but that
 * is declared: every other one costs each start as much.
 */
export function buildProgram(terminal: Terminal, end: End, asked = ""): Command {
  const program = new Command("holdfast")
    .description("A durable session runtime for AI agents: what was acknowledged is never lost.")
    .version(version(), "-v, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(wrapFor(terminal, text)),
      writeErr: (text) => showErrors(terminal, text),
    })
    .addHelpText("after", examples(programExamples) + exitCodes)
  const declared = Object.entries(sections).flatMap(([heading, adds]) =>
    Object.entries(adds).map(([names, add]) => ({ heading, names: names.split(" "), add })),
  )
  const named = declared.filter(({ names }) => names.includes(asked) && !tellsOfAll.includes(asked))
  for (const { heading, add } of named.length > 0 ? named : declared) {
    program.commandsGroup(heading)
    add(program, terminal, end, declaredOptions)
  }
  return program
}

/** Commander also writes the help of a missing command here; its errors are told by `explain`. */
function showErrors(terminal: Terminal, text: string): void {
  if (!text.startsWith("error:")) terminal.complain(text.trimEnd())
}

function addRun(program: Command, terminal: Terminal, end: End): void {
  budgetOptions(workOptions(program.command("run")))
    .description("send a prompt to a new Session, or to one that exists, and follow it to its end")
    .argument("<text>", "the prompt; - reads it from standard input, /name takes it from a command")
    .argument("[words...]", "what the command is given, as in /review src/")
    .option("--session <id>", "go on with this Session; the beginning of its id suffices")
    .addOption(
      new Option("--continue", "go on with the Session of this directory that was used last").conflicts(
        "session",
      ),
    )
    .addOption(
      new Option("--dir <directory>", "work in this directory (default: the current one)")
        .argParser(directoryName)
        .conflicts("session"),
    )
    .option("--model <provider/model>", "answer with this model from now on")
    .option("--agent <name>", "let this agent work from now on, as build or plan; holdfast agents lists them")
    .option("--image <file>", "an image that goes with the prompt; may be given several times", fileList)
    .addOption(
      new Option(
        "--delivery <kind>",
        "when a running Session takes the prompt: at its next turn, or when it would be idle",
      )
        .choices(["steer", "queue"])
        .default("steer"),
    )
    .addOption(onAskOption(" (default for a new Session: deny)"))
    .addOption(onRestartOption())
    .addOption(deadlineOption())
    .addOption(systemOption())
    .option("--sidekick", "let the sidekick look up earlier work on this first; see the setting sidekick")
    .option("--detach", "leave the work to the running server, and do not follow it")
    .addHelpText("after", examples(runExamples) + exitCodes)
    .action(async (text: string, words: readonly string[], options: RunOptions) => {
      const { runPrompt } = await import("./run.ts")
      end(await runPrompt(terminal, text, words, options))
    })
}

function addResume(program: Command, terminal: Terminal, end: End): void {
  budgetOptions(workOptions(program.command("resume")))
    .description("let a Session finish what it owes, after a crash, a failure or an interrupt")
    .addArgument(sessionArgument())
    .addOption(onAskOption())
    .addOption(deadlineOption())
    .addOption(systemOption())
    .addHelpText(
      "after",
      examples([
        "holdfast resume ses_…",
        "holdfast resume ses_… --allow write,bash --json",
        "holdfast resume ses_… --budget-money 3",
      ]) + exitCodes,
    )
    .action(async (session: string, options: CommonOptions) => {
      const { resumeSession } = await import("./run.ts")
      end(await resumeSession(terminal, session, options))
    })
}

function addAttach(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("attach"))
    .description("follow a Session live; Ctrl-C detaches and lets it go on")
    .addArgument(sessionArgument())
    .addOption(systemOption())
    .option("--until-idle", "end when nothing runs any more, with the exit code of a run")
    .addHelpText(
      "after",
      examples(["holdfast attach ses_…", "holdfast attach ses_… --until-idle --json"]) + exitCodes,
    )
    .action(async (session: string, options: AttachOptions) => {
      const { attachSession } = await import("./conversation/attach.ts")
      end(await attachSession(terminal, session, options))
    })
}

function addWindow(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("window"))
    .description(
      "show what the model will see next: tokens, cache, limit, price, and when the cache was lost",
    )
    .addArgument(sessionArgument())
    .option("--content", "print the request itself, block by block, in place of its sizes")
    .addOption(new Option("--parts", "list the parts of the history, with their tiers").conflicts("content"))
    .addHelpText(
      "after",
      examples(["holdfast window ses_…", "holdfast window ses_… --parts", "holdfast window ses_… --content"]),
    )
    .action(async (session: string, options: WindowOptions) => {
      const { showWindow } = await import("./window/window.ts")
      end(await showWindow(terminal, session, options))
    })
}

function addTurns(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("turns"))
    .description("show the ledger of a Session: tokens, cache, cost and breaks of every turn")
    .addArgument(sessionArgument())
    .option("--verify", "rebuild every request from the log and compare; exit code 1 if one is different")
    .addHelpText("after", examples(["holdfast turns ses_…", "holdfast turns ses_… --verify"]))
    .action(async (session: string, options: TurnsOptions) => {
      const { listTurns } = await import("./turns.ts")
      end(await listTurns(terminal, session, options))
    })
}

function addModels(program: Command, terminal: Terminal, end: End): void {
  storeOptions(program.command("models"))
    .description("list the models that can be used: limits, prices, abilities, and whether a key is there")
    .argument("[provider]", "only this provider, also if it is not configured")
    .option("--refresh", "fetch the catalog first; without it nothing is asked of the network")
    .addHelpText(
      "after",
      `${examples(["holdfast models", "holdfast models openai --json", "holdfast models --refresh"])}
Exit codes: 0 listed, 1 the refresh failed and changed nothing, 2 wrong arguments or configuration.
`,
    )
    .action(async (provider: string | undefined, options: ModelsOptions) => {
      const { showModels } = await import("./models/models.ts")
      end(await showModels(terminal, provider, options))
    })
}

function addServe(program: Command, terminal: Terminal, end: End): void {
  allowOption(storeOptions(program.command("serve")))
    .description("serve the Sessions of a data directory to commands and clients")
    .option("--port <number>", "listen on this port; 0 takes any free one (default: 0)", portNumber)
    .option("--host <address>", "listen on this address (default: loopback only); needs --allowed-host")
    .addOption(allowedHostOption())
    .addOption(allowedOriginOption())
    .addOption(logFormatOption())
    .addOption(logLevelOption())
    .option(
      "--dir <directory>",
      "where a Session works that names no directory (default: the current one)",
      directoryName,
    )
    .addHelpText(
      "after",
      `${examples(["holdfast serve", "holdfast serve --allow write,bash --port 4096", "holdfast serve --host 0.0.0.0 --allowed-host box.example --port 4096", "holdfast serve --json", "holdfast serve --log-format json --log-level debug"])}
Commands on the same data directory then use the server. Every request needs the token in server.token.
Exit codes: 0 stopped, 1 failed, 2 wrong arguments, or the directory is served already.
`,
    )
    .action(async (options: ServeOptions) => {
      const { serveSessions } = await import("./server/serve.ts")
      end(await serveSessions(terminal, options))
    })
}

function addDoctor(program: Command, terminal: Terminal, end: End): void {
  storeOptions(program.command("doctor"))
    .description("look at everything that Holdfast needs, and say what is wrong and what to do")
    .option("--offline", "ask no provider whether it answers")
    .option("--rebuild", "write projections that differ from a sound log anew; without it nothing is written")
    .addHelpText(
      "after",
      `${examples(["holdfast doctor", "holdfast doctor --offline --json", "holdfast doctor --rebuild"])}
Exit codes: 0 no problem (there may be warnings), 1 there is a problem, 2 wrong arguments.
`,
    )
    .action(async (options: DoctorOptions) => {
      const { examineEverything } = await import("./doctor/doctor.ts")
      end(await examineEverything(terminal, options))
    })
}

function addProviderSim(program: Command, terminal: Terminal, end: End): void {
  helpOption(program.command("provider-sim"))
    .description("serve the offline model on loopback, for any client, and print the settings that use it")
    .option("--port <number>", "listen on this port; 0 takes any free one (default: 0)", portNumber)
    .option("--model <names...>", "names of the models to serve (default: agent and agent-plain)")
    .option("--directives", "let a prompt say what the model answers: @@SIM{...}@@")
    .addHelpText(
      "after",
      examples([
        "holdfast provider-sim",
        "holdfast provider-sim --port 4010 --model claude-sonnet-4-6 gpt-4o",
        "holdfast provider-sim --directives",
      ]),
    )
    .action(async (options: ProviderSimOptions) => {
      const { serveOffline } = await import("./provider-sim.ts")
      end(await serveOffline(terminal, options))
    })
}

function addHelp(program: Command): void {
  helpOption(program.command("help"))
    .description("show the help of a command")
    .addArgument(new Argument("[command...]", "the command; without it all of them"))
    .addHelpText("after", examples(["holdfast help run", "holdfast help wire lint", "holdfast help"]))
    .action(async (names: readonly string[]) => {
      let command = program
      for (const name of names) {
        const found = command.commands.find((candidate) => candidate.name() === name)
        // Says that there is no such command.
        if (found === undefined) return void (await program.parseAsync([...names], { from: "user" }))
        command = found
      }
      command.outputHelp()
    })
}

const programExamples = [
  'holdfast run "Describe this project."',
  'holdfast run --allow write,bash "Run the tests and mend what fails."',
  "holdfast sessions",
  "holdfast window ses_…",
  "holdfast serve --allow write,bash",
  "holdfast doctor",
]

const runExamples = [
  'holdfast run "Describe this project."',
  'holdfast run --continue "And now the tests."',
  'holdfast run --agent plan "How would we add a search?"',
  'holdfast run --session ses_… --delivery queue "Then this."',
  'holdfast run --dir ../other --allow write "Create notes.md with \\"hello\\"."',
  "holdfast run /review src/",
  'holdfast run --image photo.png "What is in this picture?"',
  'holdfast run --deadline 10m --allow bash "Run the tests."',
  'holdfast run --on-ask wait "Tidy up this folder."',
  "git diff | holdfast run --json -",
]

const exitCodes = `
Exit codes: ${exitCodeList}.
Without a configured provider the offline model answers. Reading is always allowed. What is not allowed, such as
writing without --allow write, is declined by a run unless --on-ask says otherwise.
`
