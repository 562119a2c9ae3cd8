/** The command that searches. */
import type { Command } from "commander"
import { foundMax } from "@holdfast/schema/search/bounds"
import type { End } from "../commands.ts"
import { examples, positive, sharedOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { SearchOptions } from "./search.ts"

export function addSearch(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("search"))
    .description("search what was said in the Sessions of this project")
    .argument("<text...>", "words, names, paths, or a phrase in double quotes")
    .option("--all-projects", "search the Sessions of every project")
    .option("--session <id>", "search this Session only")
    .option("--limit <count>", `how many at most, up to ${foundMax}`, positive, 10)
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
