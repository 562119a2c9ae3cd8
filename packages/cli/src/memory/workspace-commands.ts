/** The commands about workspaces: projects that see some of each other's memories (WS1). */
import { Argument, type Command, Option } from "commander"
import { memoryCategories } from "@holdfast/schema/memory/categories"
import type { MemoryCategory } from "@holdfast/schema/memory/memory"
import type { End } from "../commands.ts"
import { directoryName, examples, helpOption, sharedOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { CreateWorkspaceOptions, PlacedOptions } from "./options.ts"

const nameArgument = (): Argument => new Argument("<name>", "the name of the workspace")

export function addWorkspace(program: Command, terminal: Terminal, end: End): void {
  const workspace = helpOption(program.command("workspace"))
    .description("let projects see some of each other's memories")
    .helpCommand(false)
    .addHelpText(
      "after",
      `${examples(["holdfast workspace create shop", "holdfast workspace add shop --dir ../shop-web", "holdfast workspace share shop CONSTRAINTS NAMING", "holdfast workspace list"])}
Exit codes of each: 0 done, 1 refused or failed, 2 wrong arguments, or there is no such workspace.
`,
    )
  sharedOptions(workspace.command("list", { isDefault: true }))
    .description("list workspaces with their projects and what they share")
    .addHelpText("after", examples(["holdfast workspace list", "holdfast workspace list --json"]))
    .action(async (options: PlacedOptions) => {
      const { listWorkspaces } = await import("./workspace.ts")
      end(await listWorkspaces(terminal, options))
    })
  sharedOptions(workspace.command("create"))
    .description("make a workspace; projects are added to it afterwards")
    .addArgument(nameArgument())
    .addOption(
      new Option("--share <category...>", "categories that it shares (default: CONSTRAINTS)").choices(
        memoryCategories,
      ),
    )
    .addHelpText("after", examples(["holdfast workspace create shop --share CONSTRAINTS NAMING"]))
    .action(async (name: string, options: CreateWorkspaceOptions) => {
      const { createWorkspace } = await import("./workspace.ts")
      end(await createWorkspace(terminal, name, options))
    })
  sharedOptions(workspace.command("share"))
    .description("say which categories of memory its projects share")
    .addArgument(nameArgument())
    .addArgument(new Argument("<categories...>", "all that it shares from now on").choices(memoryCategories))
    .addHelpText("after", examples(["holdfast workspace share shop CONSTRAINTS NAMING"]))
    .action(async (name: string, categories: MemoryCategory[], options: PlacedOptions) => {
      const { shareCategories } = await import("./workspace.ts")
      end(await shareCategories(terminal, name, categories, options))
    })
  addMembers(workspace, terminal, end)
  sharedOptions(workspace.command("delete"))
    .description("delete a workspace; its projects keep their memories")
    .addArgument(nameArgument())
    .addHelpText("after", examples(["holdfast workspace delete shop"]))
    .action(async (name: string, options: PlacedOptions) => {
      const { deleteWorkspace } = await import("./workspace.ts")
      end(await deleteWorkspace(terminal, name, options))
    })
}

function addMembers(workspace: Command, terminal: Terminal, end: End): void {
  const placed = (command: Command): Command =>
    sharedOptions(command)
      .addArgument(nameArgument())
      .option("--dir <directory>", "a directory of the project (default: the current one)", directoryName)
  placed(workspace.command("add"))
    .description("add a project to a workspace; it is in one at most")
    .addHelpText(
      "after",
      examples(["holdfast workspace add shop", "holdfast workspace add shop --dir ../web"]),
    )
    .action(async (name: string, options: PlacedOptions) => {
      const { addProject } = await import("./workspace.ts")
      end(await addProject(terminal, name, options))
    })
  placed(workspace.command("remove"))
    .description("remove a project from a workspace")
    .addHelpText("after", examples(["holdfast workspace remove shop --dir ../web"]))
    .action(async (name: string, options: PlacedOptions) => {
      const { removeProject } = await import("./workspace.ts")
      end(await removeProject(terminal, name, options))
    })
}
