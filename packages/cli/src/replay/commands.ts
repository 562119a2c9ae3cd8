/** The command that measures a recorded session. */
import type { Command } from "commander"
import type { End } from "../commands.ts"
import { examples, positive, sharedOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { ReplayOptions } from "./replay.ts"

export function addReplay(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("replay"))
    .description("replay a recorded session and show what it would have cost with Holdfast")
    .argument(
      "<what...>",
      "files of another agent, wire transcripts, bundles, or ids of Sessions; of several the figures are of all together",
    )
    .option(
      "--window <tokens>",
      "the window of the model; what is configured or what the catalog knows unless given",
      positive,
    )
    .addHelpText(
      "after",
      `${examples(["holdfast replay ~/.claude/projects/-home-me-app/2a55af89.jsonl", "holdfast replay ses_… --window 100000", "holdfast replay talk.json --json"])}
Every request is planned and encoded as Holdfast would send it, at its recorded time, and put to a simulated cache of its
provider. Nothing is sent, and nothing is written. System text and tools of other agents are not in their files: they count
as one block of the size that the first request shows. With --json each break is one record, and the last one has all figures.
Exit codes: 0 replayed, 1 failed, 2 wrong arguments, or there is no such file or Session.
`,
    )
    .action(async (what: string[], options: ReplayOptions) => {
      const { replayGiven } = await import("./replay.ts")
      end(await replayGiven(terminal, what, options))
    })
}
