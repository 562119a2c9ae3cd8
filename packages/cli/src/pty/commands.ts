/** The commands about terminals. */
import type { Command } from "commander"
import type { End } from "../commands.ts"
import type { SharedOptions } from "../opened.ts"
import { directoryName, examples, helpOption, sharedOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { OpenPtyOptions } from "./pty.ts"

export function addPty(program: Command, terminal: Terminal, end: End): void {
  const pty = helpOption(program.command("pty"))
    .description("open a terminal on the server, and come back to it later")
    .helpCommand(false)
    .addHelpText(
      "after",
      `${examples(["holdfast pty", "holdfast pty open npm test", "holdfast pty list", "holdfast pty attach pty_…"])}
Ctrl-] leaves a terminal and lets it run on; it belongs to its server. Where no server runs it lives as long as
the command. Whoever may use the server can type into its terminals.
`,
    )
  addOpen(pty, terminal, end)
  addList(pty, terminal, end)
  addAttach(pty, terminal, end)
  addClose(pty, terminal, end)
}

function addOpen(pty: Command, terminal: Terminal, end: End): void {
  sharedOptions(pty.command("open", { isDefault: true }))
    .description("open a terminal and attach to it")
    .argument("[program...]", "what runs in it; your shell unless given")
    .option("--dir <path>", "where it starts; the current directory unless given", directoryName)
    .option("--title <text>", "what it is called in lists")
    .addHelpText(
      "after",
      `${examples(["holdfast pty open", "holdfast pty open --title tests -- npm test --silent"])}
Put -- before a program that has options of its own. The exit code is that of the program.
`,
    )
    .action(async (words: readonly string[], options: OpenPtyOptions) => {
      const { openPty } = await import("./pty.ts")
      end(await openPty(terminal, words, options))
    })
}

const ptyText = "the id of the terminal, or its beginning"

function addList(pty: Command, terminal: Terminal, end: End): void {
  sharedOptions(pty.command("list"))
    .description("list terminals, also those whose program has ended")
    .addHelpText("after", examples(["holdfast pty list", "holdfast pty list --json"]))
    .action(async (options: SharedOptions) => {
      const { listPtys } = await import("./pty.ts")
      end(await listPtys(terminal, options))
    })
}

function addAttach(pty: Command, terminal: Terminal, end: End): void {
  sharedOptions(pty.command("attach"))
    .description("show the screen of a terminal and type into it; Ctrl-] leaves it")
    .argument("<pty>", ptyText)
    .addHelpText(
      "after",
      `${examples(["holdfast pty attach pty_…"])}\nThe exit code is that of the program.\n`,
    )
    .action(async (id: string, options: SharedOptions) => {
      const { attachPty } = await import("./pty.ts")
      end(await attachPty(terminal, id, options))
    })
}

function addClose(pty: Command, terminal: Terminal, end: End): void {
  sharedOptions(pty.command("close"))
    .description("end a terminal with everything that runs in it")
    .argument("<pty>", ptyText)
    .addHelpText("after", examples(["holdfast pty close pty_…"]))
    .action(async (id: string, options: SharedOptions) => {
      const { closePty } = await import("./pty.ts")
      end(await closePty(terminal, id, options))
    })
}
