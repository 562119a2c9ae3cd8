/** The commands about what is known of a project: its memory, and its notes. */
import { Argument, type Command, InvalidArgumentError, Option } from "commander"
import { memoryCategories } from "@holdfast/schema/memory/categories"
import type { End } from "../commands.ts"
import { directoryName, examples, helpOption, sharedOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type {
  AddMemoryOptions,
  ArchiveMemoryOptions,
  EditMemoryOptions,
  ExportMemoryOptions,
  GivenExpiry,
  ListMemoryOptions,
  PlacedOptions,
} from "./options.ts"

const category = (unlessGiven = ""): Option =>
  new Option("--category <name>", `what kind of statement it is${unlessGiven}`).choices(memoryCategories)

const memoryArgument = (): Argument =>
  new Argument("<memory>", "the id of the memory, as m12, or m12@3 where another project shares it")

const placed = (command: Command): Command =>
  sharedOptions(command).option(
    "--dir <directory>",
    "a directory of the project (default: the current one)",
    directoryName,
  )

export function addMemory(program: Command, terminal: Terminal, end: End): void {
  const memory = helpOption(program.command("memory"))
    .description("show and change what is known of this project beyond one Session")
    .helpCommand(false)
    .addHelpText(
      "after",
      `${examples(["holdfast memory", 'holdfast memory add "Run the tests with npm test." --category PROJECT_RULES', "holdfast memory show m12", 'holdfast memory edit m12 "The dev port is 4000."', "holdfast memory archive m12"])}
Exit codes of each: 0 done, 1 refused or failed, 2 wrong arguments, or there is no such memory.
`,
    )
  addReading(memory, terminal, end)
  addChanging(memory, terminal, end)
  addSharing(memory, terminal, end)
}

function addReading(memory: Command, terminal: Terminal, end: End): void {
  placed(memory.command("list", { isDefault: true }))
    .description("list what is known of the project")
    .addOption(
      new Option("--status <status>", "which memories").choices(["active", "archived", "superseded", "all"]),
    )
    .addOption(category())
    .addHelpText("after", examples(["holdfast memory list", "holdfast memory list --status all --json"]))
    .action(async (options: ListMemoryOptions) => {
      const { listMemory } = await import("./list.ts")
      end(await listMemory(terminal, options))
    })
  placed(memory.command("show"))
    .description("show a memory: where it came from, who changed it, what it took the place of")
    .addArgument(memoryArgument())
    .addHelpText("after", examples(["holdfast memory show m12", "holdfast memory show m12 --json"]))
    .action(async (id: string, options: PlacedOptions) => {
      const { showMemory } = await import("./show.ts")
      end(await showMemory(terminal, id, options))
    })
  placed(memory.command("export"))
    .description("print what is known as Markdown, or with --json as one object a line")
    .option("--all", "also what was archived or superseded")
    .addHelpText(
      "after",
      examples(["holdfast memory export > memory.md", "holdfast memory export --json --all"]),
    )
    .action(async (options: ExportMemoryOptions) => {
      const { exportMemory } = await import("./list.ts")
      end(await exportMemory(terminal, options))
    })
}

function addChanging(memory: Command, terminal: Terminal, end: End): void {
  const expires = () =>
    new Option(
      "--expires <when>",
      "when it stops to hold: 30d, 12h, a date as 2027-01-31, or never",
    ).argParser(expiryText)
  placed(memory.command("add"))
    .description("write a memory; a window shows it from its next break on")
    .argument("<text>", "one short statement")
    .addOption(category(" (default: that of what it takes the place of, else PROJECT_RULES)"))
    .addOption(expires())
    .option("--replaces <memory...>", "ids of memories that it takes the place of")
    .addHelpText(
      "after",
      examples([
        'holdfast memory add "Run the tests with npm test."',
        'holdfast memory add "The dev port is 4000." --category CONFIG_VALUES --expires 30d',
      ]),
    )
    .action(async (text: string, options: AddMemoryOptions) => {
      const { addStatement } = await import("./change.ts")
      end(await addStatement(terminal, text, options))
    })
  placed(memory.command("edit"))
    .description("change a memory; every window of the project that may show it is made anew once")
    .addArgument(memoryArgument())
    .argument("[text]", "what it says from now on")
    .addOption(category())
    .addOption(expires())
    .addHelpText(
      "after",
      examples(['holdfast memory edit m12 "Use pnpm."', "holdfast memory edit m12 --expires never"]),
    )
    .action(async (id: string, text: string | undefined, options: EditMemoryOptions) => {
      const { editMemory } = await import("./change.ts")
      end(await editMemory(terminal, id, text, options))
    })
  placed(memory.command("archive"))
    .description("take a memory out of every window; it stays in the log")
    .addArgument(memoryArgument())
    .option("--reason <text>", "why")
    .addHelpText("after", examples(['holdfast memory archive m12 --reason "We moved to pnpm."']))
    .action(async (id: string, options: ArchiveMemoryOptions) => {
      const { archiveMemory } = await import("./change.ts")
      end(await archiveMemory(terminal, id, options))
    })
  placed(memory.command("restore"))
    .description("take an archived or superseded memory back")
    .addArgument(memoryArgument())
    .addHelpText("after", examples(["holdfast memory restore m12"]))
    .action(async (id: string, options: PlacedOptions) => {
      const { restoreMemory } = await import("./change.ts")
      end(await restoreMemory(terminal, id, options))
    })
  placed(memory.command("merge"))
    .description("let one statement take the place of several")
    .argument("<memories...>", "the ids of two memories or more, then the statement in quotes")
    .addOption(category())
    .addHelpText("after", examples(['holdfast memory merge m3 m7 "Use tabs in all sources."']))
    .action(async (words: string[], options: EditMemoryOptions) => {
      const { mergeMemories } = await import("./change.ts")
      end(await mergeMemories(terminal, words, options))
    })
}

function addSharing(memory: Command, terminal: Terminal, end: End): void {
  placed(memory.command("adopt"))
    .description("share the memory of another directory, for a copy or a second clone of a project")
    .option(
      "--from <directory>",
      "the other directory (default: the one that this may be a copy of)",
      directoryName,
    )
    .addHelpText("after", examples(["holdfast memory adopt", "holdfast memory adopt --from ../first-clone"]))
    .action(async (options: PlacedOptions & { readonly from?: string }) => {
      const { adoptMemory } = await import("./share.ts")
      end(await adoptMemory(terminal, options))
    })
  placed(memory.command("separate"))
    .description("keep a memory of its own for this directory, and ask no more")
    .option("--bare", "take along only what was said from here, and nothing of what was known before")
    .addHelpText("after", examples(["holdfast memory separate", "holdfast memory separate --bare"]))
    .action(async (options: PlacedOptions & { readonly bare?: boolean }) => {
      const { separateMemory } = await import("./share.ts")
      end(await separateMemory(terminal, options))
    })
}

/** JavaScript takes the 31st of February for a day in March. */
const isInCalendar = (text: string): boolean => {
  const [date = ""] = text.split("T")
  return new Date(Date.parse(date)).toISOString().startsWith(date)
}

/** A null would be lost on the way: it stands for a value that was not given. */
const expiryText = (text: string): GivenExpiry => {
  if (text === "never") return text
  const [, amount, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? []
  if (amount !== undefined) return Date.now() + Number(amount) * (unit === "d" ? 86_400_000 : 3_600_000)
  const day = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(day) || !isInCalendar(text))
    throw new InvalidArgumentError("Write 30d, 12h, a date as 2027-01-31, or never.")
  return day
}
