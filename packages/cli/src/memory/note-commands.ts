/** The commands about notes. */
import { Argument, type Command } from "commander"
import type { End } from "../commands.ts"
import { directoryName, examples, helpOption, sharedOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { NoteOptions, UpdateNoteOptions, WriteNoteOptions } from "./notes.ts"

export function addNote(program: Command, terminal: Terminal, end: End): void {
  const note = helpOption(program.command("note"))
    .description("show, write and dismiss notes of this project, or of a Session")
    .helpCommand(false)
    .addHelpText(
      "after",
      `${examples(["holdfast note", 'holdfast note write "Remove the flag." --when "Version 2 is released."', "holdfast note dismiss s12", "holdfast note list --session ses_…"])}
A note of the project is told to the Session that is spoken to next, once, as soon as its condition is true.
Exit codes of each: 0 done, 1 refused or failed, 2 wrong arguments, or there is no such note.
`,
    )
  const placed = (command: Command): Command =>
    sharedOptions(command)
      .option("--session <id>", "the notes of this Session")
      .option("--dir <directory>", "a directory of the project (default: the current one)", directoryName)
  const noteArgument = () => new Argument("<note>", "the id of the note: n12 of a Session, s12 of a project")
  placed(note.command("list", { isDefault: true }))
    .description("list notes, also those that wait for their condition")
    .option("--all", "also those that were shown or dismissed")
    .addHelpText("after", examples(["holdfast note list", "holdfast note list --all --json"]))
    .action(async (options: NoteOptions & { readonly all?: boolean }) => {
      const { listNotes } = await import("./notes.ts")
      end(await listNotes(terminal, options))
    })
  placed(note.command("write"))
    .description("write a note")
    .argument("<text>", "what it says")
    .option("--when <condition>", "what has to be true before anybody is reminded")
    .addHelpText(
      "after",
      examples([
        'holdfast note write "Ask Ann about the schema."',
        'holdfast note write "Remove the flag." --when "Version 2 is released."',
      ]),
    )
    .action(async (text: string, options: WriteNoteOptions) => {
      const { writeNote } = await import("./notes.ts")
      end(await writeNote(terminal, text, options))
    })
  placed(note.command("update"))
    .description("change what a note says, or what it waits for")
    .addArgument(noteArgument())
    .argument("[text]", "what it says from now on")
    .option("--when <condition>", "what has to be true before anybody is reminded")
    .addHelpText("after", examples(['holdfast note update s12 "Remove both flags."']))
    .action(async (id: string, text: string | undefined, options: UpdateNoteOptions) => {
      const { updateNote } = await import("./notes.ts")
      end(await updateNote(terminal, id, text, options))
    })
  placed(note.command("dismiss"))
    .description("dismiss a note that is done")
    .addArgument(noteArgument())
    .addHelpText(
      "after",
      examples(["holdfast note dismiss s12", "holdfast note dismiss n40 --session ses_…"]),
    )
    .action(async (id: string, options: NoteOptions) => {
      const { dismissNote } = await import("./notes.ts")
      end(await dismissNote(terminal, id, options))
    })
}
