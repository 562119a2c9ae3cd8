/** The command that takes Sessions in: bundles, and sessions of other agents. */
import { type Command, Option } from "commander"
import type { End } from "../commands.ts"
import { directoryName, examples, sharedOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { ImportOptions } from "./import.ts"

export function addImport(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("import"))
    .description("take Sessions in: of Claude Code, Codex, Pi and OpenCode, or what holdfast export wrote")
    .argument(
      "[what...]",
      "files, folders, ids of sessions, or bundles; - is a bundle on standard input. Without any: what is in the usual folders",
    )
    .addOption(
      new Option("--from <agent>", "only sessions of this agent").choices([
        "claude-code",
        "codex",
        "pi",
        "opencode",
      ]),
    )
    .option("--all", "every session that was found, without asking which")
    .option(
      "--directory <directory>",
      "where the Sessions are to work; where they did unless given",
      directoryName,
    )
    .option(
      "--trust",
      "of bundles: take over what they may do without asking, and what a restart does with unfinished work",
    )
    .addHelpText(
      "after",
      `${examples(["holdfast import", "holdfast import --from codex --all", "holdfast import ~/.claude/projects/-home-me-app/2a55af89.jsonl", "holdfast import 2a55af89 --json", "holdfast import talk.bundle.gz --directory ."])}
A session comes with every message, call and result, its times, models and costs; what cannot be taken over is listed.
Branches become Sessions of their own, and side chains of subagents too, archived. The files are never written. To repeat it
changes nothing; a session that has gone on elsewhere goes on here; where both have gone on, it becomes a second Session.
With --json each Session is one record.
Exit codes: 0 they are here, or were listed, 1 failed, or a bundle was refused, 2 wrong arguments, or there is no such file.
`,
    )
    .action(async (given: readonly string[], options: ImportOptions) => {
      const { importGiven } = await import("./import.ts")
      end(await importGiven(terminal, given, options))
    })
}
