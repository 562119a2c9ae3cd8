/** `holdfast config` and the commands below it. */
import type { Command } from "commander"
import type { End } from "../commands.ts"
import type { DeclaredOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { SetOptions } from "./set.ts"
import type { ShowOptions } from "./show.ts"

export function addConfig(program: Command, terminal: Terminal, end: End, declared: DeclaredOptions): void {
  const config = declared
    .json(program.command("config"))
    .description("show every setting in force, with the file and line that it comes from")
    .helpCommand(false)
    .addHelpText(
      "after",
      `${declared.examples(["holdfast config", "holdfast config --json", "holdfast config set model anthropic/claude-sonnet-4-6"])}
Exit codes: 0 shown, 2 a file cannot be used: what is wrong with it is told, and no turn would start.
`,
    )
    .action(async (options: ShowOptions) => {
      const { showConfiguration } = await import("./show.ts")
      end(await showConfiguration(terminal, options))
    })
  addSet(config, terminal, end, declared)
  addUnset(config, terminal, end, declared)
  addSchema(config, terminal, end, declared)
}

function addSet(config: Command, terminal: Terminal, end: End, declared: DeclaredOptions): void {
  declared
    .help(config.command("set"))
    .description("write one setting into your file; comments and formatting stay")
    .argument("<key>", "the setting, as model or budget.tokens")
    .argument("<value>", "JSON, or a text as it is; null takes the setting away")
    .option("--project", "write it into the file of this project, which may set less")
    .addHelpText(
      "after",
      `${declared.examples(["holdfast config set model anthropic/claude-sonnet-4-6", "holdfast config set budget.money 5", "holdfast config set timeZone null"])}
A value that cannot stand there is refused, and the file stays as it was.
Exit codes: 0 written, 2 refused.
`,
    )
    .action(async (key: string, value: string, options: SetOptions) => {
      const { writeSetting } = await import("./set.ts")
      end(await writeSetting(terminal, key, value, options))
    })
}

function addUnset(config: Command, terminal: Terminal, end: End, declared: DeclaredOptions): void {
  declared
    .help(config.command("unset"))
    .description("take one setting out of your file, so that its default holds")
    .argument("<key>", "the setting, as historian or budget.tokens")
    .option("--project", "take it out of the file of this project")
    .addHelpText(
      "after",
      `${declared.examples(["holdfast config unset historian", "holdfast config unset recall.threshold"])}
A section that is empty then goes with it. Exit codes: 0 it is not set any more, 2 refused.
`,
    )
    .action(async (key: string, options: SetOptions) => {
      const { writeSetting } = await import("./set.ts")
      end(await writeSetting(terminal, key, "null", options))
    })
}

function addSchema(config: Command, terminal: Terminal, end: End, declared: DeclaredOptions): void {
  declared
    .help(config.command("schema"))
    .description("print the JSON Schema of holdfast.jsonc, for editors")
    .addHelpText(
      "after",
      declared.examples(["holdfast config schema > ~/.config/holdfast/holdfast.schema.json"]),
    )
    .action(async () => {
      const { settingsSchema } = await import("@holdfast/sdk")
      terminal.write(`${JSON.stringify(settingsSchema(), null, 2)}\n`)
      end(0)
    })
}
