/** The command that carries Sessions out of a store. */
import type { Command } from "commander"
import type { End } from "../commands.ts"
import { examples, sessionArgument, sharedOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { ExportOptions } from "./export.ts"

export function addExport(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("export"))
    .description("write a Session to one file, for another machine or for people")
    .addArgument(sessionArgument())
    .option("--out <file>", "where to; standard output unless given. A name that ends in .gz is compressed")
    .option("--markdown", "the conversation as Markdown, for people")
    .option("--html", "the conversation as one HTML page, for people")
    .option("--system", "for people: what Holdfast told the model in between too")
    .option("--reasoning", "for people: what the model thought too, where its provider tells")
    .addHelpText(
      "after",
      `${examples(["holdfast export ses_… --out talk.bundle.gz", "holdfast export ses_… | ssh elsewhere holdfast import -", "holdfast export ses_… --html --out talk.html", "holdfast export ses_… --markdown --reasoning"])}
A bundle holds the whole Session with its images, up to where everything is settled; holdfast import takes it in.
Keys of your configuration never leave with it. With --json one record tells what was written.
Exit codes: 0 written, 1 failed, 2 wrong arguments, or there is no such Session.
`,
    )
    .action(async (session: string, options: ExportOptions) => {
      const { exportSession } = await import("./export.ts")
      end(await exportSession(terminal, session, options))
    })
}
