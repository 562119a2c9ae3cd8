/** The commands that list, read and change Sessions, and let none of them work. */
import type { Command } from "commander"
import type { End } from "../commands.ts"
import type { ShowOptions } from "../conversation/show.ts"
import type { SharedOptions } from "../opened.ts"
import {
  allowOption,
  examples,
  helpOption,
  budgetOptions,
  onAskOption,
  onRestartOption,
  positive,
  sessionArgument,
  sharedOptions,
} from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { ArchiveOptions } from "./archive.ts"
import type { DeleteOptions } from "./delete.ts"
import type { ForkOptions } from "./fork.ts"
import type { QuarantineOptions } from "./quarantine.ts"
import type { SessionsOptions } from "./sessions.ts"
import type { SetOptions } from "./set.ts"

const sessionsLimit = 20

export function addSessions(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("sessions"))
    .description("list Sessions, newest first")
    .option("--limit <count>", "how many at most", positive, sessionsLimit)
    .option("--archived", "list those that are archived, and no others")
    .addHelpText(
      "after",
      examples(["holdfast sessions", "holdfast sessions --limit 5 --json", "holdfast sessions --archived"]),
    )
    .action(async (options: SessionsOptions) => {
      const { listSessions } = await import("./sessions.ts")
      end(await listSessions(terminal, options))
    })
}

export function addShow(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("show"))
    .description("show the conversation of a Session, with the numbers and ids of its messages")
    .addArgument(sessionArgument())
    .option(
      "--around <number>",
      "show only the messages around this one, such as 66 of #66 in search, window --parts or receipt",
      positive,
    )
    .option("--system", "show what Holdfast told the model in between too")
    .option("--reasoning", "show what the model thought too, where its provider tells")
    .addHelpText(
      "after",
      examples([
        "holdfast show ses_…",
        "holdfast show ses_… --system --reasoning",
        "holdfast show ses_… --around 66",
        "holdfast show ses_… --json",
      ]),
    )
    .action(async (session: string, options: ShowOptions) => {
      const { showSession } = await import("../conversation/show.ts")
      end(await showSession(terminal, session, options))
    })
}

export function addSet(program: Command, terminal: Terminal, end: End): void {
  budgetOptions(allowOption(sharedOptions(program.command("set"))))
    .description(
      "change the title, the agent or the budget of a Session, what it may do, or what a restart does with its unfinished work",
    )
    .addArgument(sessionArgument())
    .option("--title <text>", "what it is called in lists; an empty text takes the title away")
    .option("--agent <name>", "the agent that works from the next turn on")
    .addOption(onRestartOption())
    .addOption(onAskOption())
    .addHelpText(
      "after",
      `${examples(["holdfast set ses_… --on-restart continue", "holdfast set ses_… --agent plan", "holdfast set ses_… --on-ask wait --allow 'write(src/**)'", 'holdfast set ses_… --title "The greeter" --json', "holdfast set ses_… --budget-money 3 --budget-tokens none"])}
With --json the Session is printed as it is then.
Exit codes: 0 set, 1 failed, 2 wrong arguments, or there is no such Session.
`,
    )
    .action(async (session: string, options: SetOptions) => {
      const { setSession } = await import("./set.ts")
      end(await setSession(terminal, session, options))
    })
}

export function addRename(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("rename"))
    .description("give a Session another title, which stays")
    .addArgument(sessionArgument())
    .argument("<title>", "what it is called in lists")
    .addHelpText(
      "after",
      `${examples(['holdfast rename ses_… "The greeter"'])}
With --json the Session is printed as it is then.
Exit codes: 0 it has this title, 1 failed, 2 wrong arguments, or there is no such Session.
`,
    )
    .action(async (session: string, title: string, options: SharedOptions) => {
      const { renameSession } = await import("./rename.ts")
      end(await renameSession(terminal, session, title, options))
    })
}

export function addFork(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("fork"))
    .description("make another Session that begins with the same conversation, up to a message")
    .addArgument(sessionArgument())
    .option("--at <message>", "the last message that is copied; all that is settled unless given")
    .option("--title <text>", "what the fork is called in lists; the same as its source unless given")
    .option("--id <text>", "an id of your own, ses_ and up to 40 lower-case letters and digits")
    .addHelpText(
      "after",
      `${examples(["holdfast fork ses_…", 'holdfast fork ses_… --at msg_… --title "Another way"'])}
Prompts that wait and work that runs stay with the source. The provider's cache serves the fork as well, since its
first request begins with the same bytes. With --id it is safe to repeat. With --json the fork is printed.
Exit codes: 0 it is there, 1 failed, or the message is still being written, 2 there is no such Session or message.
`,
    )
    .action(async (session: string, options: ForkOptions) => {
      const { forkSession } = await import("./fork.ts")
      end(await forkSession(terminal, session, options))
    })
}

export function addMove(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("move"))
    .description("let a Session work in another directory from its next turn on")
    .addArgument(sessionArgument())
    .argument("<directory>", "where it is to work")
    .addHelpText(
      "after",
      `${examples(["holdfast move ses_… ../elsewhere", "holdfast move ses_… . --json"])}
The model is then told of that place and its instructions, and no longer of the old ones; the conversation stays.
No file is moved. With --json the Session is printed as it is then.
Exit codes: 0 it works there, 1 failed, 2 there is no such Session or directory.
`,
    )
    .action(async (session: string, directory: string, options: SharedOptions) => {
      const { moveSession } = await import("./move.ts")
      end(await moveSession(terminal, session, directory, options))
    })
}

export function addArchive(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("archive"))
    .description("leave a Session out of the list; all of it stays stored, and a prompt takes it back")
    .addArgument(sessionArgument())
    .option("--undo", "take it back into the list")
    .addHelpText(
      "after",
      `${examples(["holdfast archive ses_…", "holdfast archive ses_… --undo"])}
With --json the Session is printed as it is then.
Exit codes: 0 done, 1 failed, 2 there is no such Session.
`,
    )
    .action(async (session: string, options: ArchiveOptions) => {
      const { archiveSession } = await import("./archive.ts")
      end(await archiveSession(terminal, session, options))
    })
}

export function addInbox(program: Command, terminal: Terminal, end: End): void {
  const inbox = helpOption(program.command("inbox"))
    .description("list prompts that wait in a Session, change one, or take one back")
    .helpCommand(false)
    .addHelpText(
      "after",
      examples([
        "holdfast inbox list ses_…",
        'holdfast inbox edit ses_… prm_… "Do this."',
        "holdfast inbox cancel ses_… prm_…",
      ]),
    )
  addInboxList(inbox, terminal, end)
  addInboxEdit(inbox, terminal, end)
  addInboxCancel(inbox, terminal, end)
}

const inboxCodes =
  "\nExit codes: 0 done, 1 failed, or the prompt waits no more, 2 there is no such Session or prompt.\n"

function addInboxList(inbox: Command, terminal: Terminal, end: End): void {
  sharedOptions(inbox.command("list", { isDefault: true }))
    .description("list prompts that wait, in the order in which they came")
    .addArgument(sessionArgument())
    .addHelpText("after", examples(["holdfast inbox list ses_…", "holdfast inbox list ses_… --json"]))
    .action(async (session: string, options: SharedOptions) => {
      const { listInbox } = await import("./inbox.ts")
      end(await listInbox(terminal, session, options))
    })
}

function addInboxEdit(inbox: Command, terminal: Terminal, end: End): void {
  sharedOptions(inbox.command("edit"))
    .description("give a prompt that waits another text; its images stay")
    .addArgument(sessionArgument())
    .argument("<prompt>", "the id of the prompt, as holdfast inbox list shows it")
    .argument("<text>", "the text; - reads it from standard input")
    .addHelpText("after", examples(['holdfast inbox edit ses_… prm_… "Do this."']) + inboxCodes)
    .action(async (session: string, prompt: string, text: string, options: SharedOptions) => {
      const { editInbox } = await import("./inbox.ts")
      end(await editInbox(terminal, session, prompt, text, options))
    })
}

function addInboxCancel(inbox: Command, terminal: Terminal, end: End): void {
  sharedOptions(inbox.command("cancel"))
    .description("take a prompt back that waits; its text stays in the log")
    .addArgument(sessionArgument())
    .argument("<prompt>", "the id of the prompt, as holdfast inbox list shows it")
    .addHelpText("after", examples(["holdfast inbox cancel ses_… prm_…"]) + inboxCodes)
    .action(async (session: string, prompt: string, options: SharedOptions) => {
      const { cancelInbox } = await import("./inbox.ts")
      end(await cancelInbox(terminal, session, prompt, options))
    })
}

export function addQuarantine(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("quarantine"))
    .description("take a message that providers refuse out of what models read; it stays stored")
    .addArgument(sessionArgument())
    .argument("[message]", "the id of the message, as the failure of a turn names it: msg_…")
    .option("--find", "find the message by sending requests without some of them; asks first")
    .option("--yes", "with --find: send the requests and take the message out without asking")
    .addHelpText(
      "after",
      `${examples(["holdfast quarantine ses_… msg_…", "holdfast quarantine ses_… --find", "holdfast quarantine ses_… msg_… --json"])}
It cannot be undone. With --json the message is printed.
--find looks by halves among what was added since the last request that the provider took. Its requests
may cost money: their number and price are told first, and where nobody can be asked --yes is needed.
Exit codes: 0 taken out, 1 not confirmed, not found or failed, 2 there is no such message, or --yes is missing.
`,
    )
    .action(async (session: string, message: string | undefined, options: QuarantineOptions) => {
      const { quarantine } = await import("./quarantine.ts")
      end(await quarantine(terminal, session, message ?? null, options))
    })
}

export function addInterrupt(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("interrupt"))
    .description("stop what a Session is doing, wherever it runs; its prompts are kept, resume goes on")
    .addArgument(sessionArgument())
    .addHelpText(
      "after",
      `${examples(["holdfast interrupt ses_…", "holdfast interrupt ses_… --json"])}
With --json the Session is printed as it is then.
Exit codes: 0 it is not at work any more, 1 failed, 2 there is no such Session.
`,
    )
    .action(async (session: string, options: SharedOptions) => {
      const { interruptSession } = await import("./interrupt.ts")
      end(await interruptSession(terminal, session, options))
    })
}

export function addDelete(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("delete"))
    .description("delete a Session with all that is stored of it; one that is at work is interrupted")
    .addArgument(sessionArgument())
    .option("--yes", "delete without asking; needed where nobody can be asked")
    .addHelpText(
      "after",
      `${examples(["holdfast delete ses_…", "holdfast delete ses_… --yes --json"])}
It cannot be undone. On a terminal it asks first, but never with --json.
Exit codes: 0 deleted, 1 not confirmed or failed, 2 there is no such Session, or --yes is missing.
`,
    )
    .action(async (session: string, options: DeleteOptions) => {
      const { deleteSession } = await import("./delete.ts")
      end(await deleteSession(terminal, session, options))
    })
}
