/** The command that searches. */
import { type Command, InvalidArgumentError, Option } from "commander"
import { foundMax } from "@holdfast/schema/search/bounds"
import type { End } from "../commands.ts"
import { examples, positive, sharedOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { EmbedOptions } from "./embed.ts"
import type { SearchOptions } from "./search.ts"

export function addSearch(program: Command, terminal: Terminal, end: End): void {
  addFind(program, terminal, end)
  addEmbed(program, terminal, end)
}

function addEmbed(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("embed"))
    .description("let search compare the meaning of old history: of this project, a Session, or all")
    .option("--all-projects", "embed the Sessions of every project")
    .addOption(new Option("--session <id>", "embed this Session only").conflicts("allProjects"))
    .addHelpText(
      "after",
      `${examples(["holdfast embed", "holdfast embed --session ses_…", "holdfast embed --all-projects --json"])}
New history is embedded by itself while holdfast serve or a program with Holdfast in it runs. The model comes with the
program and runs on this machine, unless search.embedding of your settings names another. Ctrl-C loses nothing: repeat
the command to go on. Exit codes: 0 all is embedded, or embedding is off; 1 some is left; 2 there is no such Session; 130 stopped by Ctrl-C.
`,
    )
    .action(async (options: EmbedOptions) => {
      const { embedSessions } = await import("./embed.ts")
      end(await embedSessions(terminal, options))
    })
}

function shownCount(text: string): number {
  const value = positive(text)
  if (value > foundMax) throw new InvalidArgumentError(`It must be at most ${foundMax}.`)
  return value
}

function addFind(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("search"))
    .description("search what was said in the Sessions of this project")
    .argument("<text...>", "words, names, paths, or a phrase in double quotes")
    .option("--all-projects", "search the Sessions of every project")
    .addOption(new Option("--session <id>", "search this Session only").conflicts("allProjects"))
    .option("--limit <count>", `how many at most, up to ${foundMax}`, shownCount, 10)
    .addHelpText(
      "after",
      examples([
        "holdfast search parseHeader timeout",
        `holdfast search '"no space left on device"' --all-projects`,
        "holdfast search migration --session ses_… --json",
      ]),
    )
    .action(async (words: string[], options: SearchOptions) => {
      const { searchText } = await import("./search.ts")
      end(await searchText(terminal, words, options))
    })
}
