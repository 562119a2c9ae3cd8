/** Commands that list what files describe: agents, skills, commands. */
import type { Command } from "commander"
import type { End } from "../commands.ts"
import type { DeclaredOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { ListOptions } from "./agents.ts"

export function addSkills(program: Command, terminal: Terminal, end: End, declared: DeclaredOptions): void {
  declared
    .json(program.command("skills"))
    .description("list the skills that agents can load here: yours, and those of this project")
    .addHelpText(
      "after",
      `${declared.examples(["holdfast skills", "holdfast skills --json"])}
Files that are left out are told with the reason. Exit codes: 0 listed, 2 wrong arguments.
`,
    )
    .action(async (options: ListOptions) => {
      const { listSkills } = await import("./skills.ts")
      end(await listSkills(terminal, options))
    })
}

export function addAgents(program: Command, terminal: Terminal, end: End, declared: DeclaredOptions): void {
  declared
    .json(program.command("agents"))
    .description("list the agents that can work here: built in, yours, and those of this project")
    .addHelpText(
      "after",
      `${declared.examples(["holdfast agents", "holdfast agents --json"])}
Files that are left out are told with the reason. Exit codes: 0 listed, 2 wrong arguments.
`,
    )
    .action(async (options: ListOptions) => {
      const { listAgents } = await import("./agents.ts")
      end(await listAgents(terminal, options))
    })
}
