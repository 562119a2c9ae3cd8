/** The commands that ask for what recall does by itself, and show what it did (SU4). */
import type { Command } from "commander"
import type { End } from "../commands.ts"
import type { SharedOptions } from "../opened.ts"
import { examples, sessionArgument, sharedOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { DreamOptions } from "./dream.ts"
import type { RebuildOptions } from "./rebuild.ts"
import type { ReceiptOptions } from "./receipt.ts"

export function addRecall(program: Command, terminal: Terminal, end: End): void {
  addFold(program, terminal, end)
  addFlush(program, terminal, end)
  addRebuild(program, terminal, end)
  addReceipt(program, terminal, end)
  addDream(program, terminal, end)
}

function addFold(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("fold"))
    .description("compact the context window of a Session with its next request; all of it stays stored")
    .addArgument(sessionArgument())
    .addHelpText(
      "after",
      `${examples(["holdfast fold ses_…", "holdfast fold ses_… --json"])}
The oldest messages leave the context window until the request is half as long, and a summary stands in their place.
The newest prompt always stays, and summaries that stand there already get no shorter than at any other fold. Use it when a provider refuses a long conversation, or when its length costs too much.
With --json the next request is printed as it is planned.
Exit codes: 0 asked for, 1 failed, 2 there is no such Session.
`,
    )
    .action(async (session: string, options: SharedOptions) => {
      const { foldSession } = await import("./fold.ts")
      end(await foldSession(terminal, session, options))
    })
}

function addFlush(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("flush"))
    .description("apply what is waiting, such as drops that the model asked for, with the next request")
    .addArgument(sessionArgument())
    .addHelpText(
      "after",
      `${examples(["holdfast flush ses_…", "holdfast flush ses_… --json"])}
Otherwise it waits until the prompt cache is lost for another reason, and then costs nothing extra. The newest 20
messages and outputs stay, and nothing is compacted. As at any loss of the cache, calls that were made again later
leave too, and outputs that were there at the last one already: with nothing queued it may still take something out.
With --json the next request is printed as it is planned.
Exit codes: 0 asked for, 1 failed, 2 there is no such Session.
`,
    )
    .action(async (session: string, options: SharedOptions) => {
      const { flushSession } = await import("./fold.ts")
      end(await flushSession(terminal, session, options))
    })
}

function addRebuild(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("rebuild"))
    .description("write the history of a long Session anew from its messages, all of it or a range")
    .addArgument(sessionArgument())
    .argument(
      "[range]",
      "a part such as c12-310, or messages such as 12-310, as holdfast window --parts shows them",
    )
    .addHelpText(
      "after",
      `${examples(["holdfast rebuild ses_…", "holdfast rebuild ses_… c12-310", "holdfast rebuild ses_… --json"])}
A model in the setting historian writes them, which costs what the command then tells; without one nothing is asked. The window shows the old parts until the next request, which the provider then reads anew. What was
rebuilt from the same messages before is left alone: after a crash, repeat the command. With --json the result is printed.
Exit codes: 0 done, 1 failed, 2 there is no such Session, or no such range, 130 stopped by Ctrl-C.
`,
    )
    .action(async (session: string, range: string | undefined, options: RebuildOptions) => {
      const { rebuildSession } = await import("./rebuild.ts")
      end(await rebuildSession(terminal, session, range ?? null, options))
    })
}

function addReceipt(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("receipt"))
    .description("show what a cache break kept, dropped and summarised, and what it cost")
    .addArgument(sessionArgument())
    .argument("[turn]", "its number as holdfast turns shows it, or its id; the newest break unless given")
    .option("--all", "list all breaks, a line for each")
    .addHelpText(
      "after",
      `${examples(["holdfast receipt ses_…", "holdfast receipt ses_… 12", "holdfast receipt ses_… --all --json"])}
With --json a receipt is one object; with --all each is one line.
Exit codes: 0 shown, 1 failed, 2 there is no such Session, or that turn did not break.
`,
    )
    .action(async (session: string, turn: string | undefined, options: ReceiptOptions) => {
      const { showReceipt } = await import("./receipt.ts")
      end(await showReceipt(terminal, session, turn ?? null, options))
    })
}

function addDream(program: Command, terminal: Terminal, end: End): void {
  const dream = sharedOptions(program.command("dream"))
    .description("tidy the memory of this project: merge duplicates, archive what is out of date")
    .option("--dry-run", "show what would be changed without a model, and change nothing")
    .helpCommand(false)
    .addHelpText(
      "after",
      `${examples(["holdfast dream --dry-run", "holdfast dream", "holdfast dream list", "holdfast dream show d12", "holdfast dream revert d12"])}
What needs no model is always done: expired memories, duplicates, and memories about files that Git says were deleted.
With a model in the setting dreamer it is also asked to consolidate, verify, archive and improve, within bounds. A
server or a program that stays does all of it by itself, 12 hours after the last time at the earliest.
With --json the differences are printed as one object.
Exit codes: 0 done or shown, 1 failed or another process is at work, 130 stopped by Ctrl-C.
`,
    )
    .action(async (options: DreamOptions) => {
      const { dreamNow } = await import("./dream.ts")
      end(await dreamNow(terminal, options))
    })
  sharedOptions(dream.command("list"))
    .description("list the runs in this project, newest first, with what each changed and cost")
    .addHelpText("after", examples(["holdfast dream list", "holdfast dream list --json"]))
    .action(async (_: SharedOptions, command: Command) => {
      const { listDreams } = await import("./dream.ts")
      end(await listDreams(terminal, command.optsWithGlobals<SharedOptions>()))
    })
  sharedOptions(dream.command("show"))
    .description("show what a run changed, each difference with what was there before")
    .argument("<run>", "its id as holdfast dream list shows it, such as d12")
    .addHelpText(
      "after",
      `${examples(["holdfast dream show d12", "holdfast dream show d12 --json"])}
Exit codes: 0 shown, 1 failed, 2 there is no such run.
`,
    )
    .action(async (run: string, _: SharedOptions, command: Command) => {
      const { showDream } = await import("./dream.ts")
      end(await showDream(terminal, run, command.optsWithGlobals<SharedOptions>()))
    })
  sharedOptions(dream.command("revert"))
    .description("take back what a run changed, save what was changed since")
    .argument("<run>", "its id as holdfast dream list shows it, such as d12")
    .argument(
      "[changes...]",
      "only what it did to these memories, documents or notes, to key-files or the profile, and what hangs together with them",
    )
    .addHelpText(
      "after",
      `${examples(["holdfast dream revert d12", "holdfast dream revert d12 m3 ARCHITECTURE.md", "holdfast dream revert d12 --json"])}
What is taken back stays: later runs leave those memories alone.
Exit codes: 0 taken back, 1 failed, 2 there is no such run.
`,
    )
    .action(async (run: string, only: string[], _: SharedOptions, command: Command) => {
      const { revertDream } = await import("./dream.ts")
      end(await revertDream(terminal, run, only, command.optsWithGlobals<SharedOptions>()))
    })
}
