/** The commands about permissions. */
import type { Command } from "commander"
import type { End } from "../commands.ts"
import { directoryName, examples, helpOption, storeOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { PermissionsOptions } from "./permissions.ts"

export function addPermissions(program: Command, terminal: Terminal, end: End): void {
  const permissions = helpOption(program.command("permissions"))
    .description("show the rules in force, and explain what they would say")
    .helpCommand(false)
    .addHelpText(
      "after",
      `${examples(["holdfast permissions", "holdfast permissions list --agent plan", "holdfast permissions explain 'bash(git push)'"])}
Rules stand under "permissions" in holdfast.jsonc. Approvals are no sandbox: what was allowed to run may do anything.
`,
    )
  placeOptions(permissions.command("list", { isDefault: true }))
    .description("list the rules; of each list the last one that fits decides")
    .addHelpText("after", examples(["holdfast permissions list", "holdfast permissions list --json"]))
    .action(async (options: PermissionsOptions) => {
      const { listRules } = await import("./permissions.ts")
      end(await listRules(terminal, options))
    })
  placeOptions(permissions.command("explain"))
    .description("say whether something would be allowed, asked for or denied, and by which rule")
    .argument("<what...>", "an action and what it is about, written like a rule, or as two words")
    .addHelpText(
      "after",
      `${examples(["holdfast permissions explain 'bash(git push)'", "holdfast permissions explain write src/a.ts", "holdfast permissions explain 'webfetch(example.com)' --json"])}
Saved approvals are not counted. Exit codes: 0 explained, whatever the answer, 2 wrong arguments or configuration.
`,
    )
    .action(async (words: readonly string[], options: PermissionsOptions) => {
      const { explainRules } = await import("./permissions.ts")
      end(await explainRules(terminal, words, options))
    })
}

const placeOptions = (command: Command): Command =>
  storeOptions(command)
    .option("--dir <directory>", "where it would be done (default: the current directory)", directoryName)
    .option("--agent <name>", "the agent that would do it (default: build)")
