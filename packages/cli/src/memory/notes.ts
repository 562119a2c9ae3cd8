/** `holdfast note`: reminders of a project or a Session, with where they were written (NT1). */
import type { HoldfastClient, Note } from "@holdfast/sdk"
import { pasteable } from "../hint.ts"
import { findSession } from "../input/ids.ts"
import { readText } from "../input/standard-input.ts"
import { listItems } from "../list-items.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"
import { type PlacedOptions, refuseInCalls, withProject } from "./options.ts"

export interface NoteOptions extends PlacedOptions {
  readonly session?: string
}

export interface WriteNoteOptions extends NoteOptions {
  readonly when?: string
}

export type UpdateNoteOptions = WriteNoteOptions

type Whose = { readonly sessionID: string } | { readonly directory: string }

export const listNotes = (
  terminal: Terminal,
  options: NoteOptions & { readonly all?: boolean },
): Promise<number> =>
  withProject(terminal, options, async (holdfast, directory) => {
    const whose = await whoseNotes(holdfast, options, directory)
    const notes = await listItems((page) =>
      holdfast.notes.list("cursor" in page ? page : { ...whose, ...page }),
    )
    const shown = notes.filter(({ status }) => options.all === true || !ended.has(status))
    if (options.json === true) for (const note of shown) terminal.write(`${JSON.stringify(note)}\n`)
    else if (shown.length === 0) terminal.write("There are no open notes.\n")
    else terminal.write(pasteable(`${shown.map((note) => noteText(terminal, note)).join("\n\n")}\n`, options))
  })

const ended: ReadonlySet<Note["status"]> = new Set(["surfaced", "dismissed"])

export async function writeNote(
  terminal: Terminal,
  given: string,
  options: WriteNoteOptions,
): Promise<number> {
  const text = await readText(terminal, given)
  const when = conditionOf(options)
  return changing(terminal, options, "Noted as", (holdfast, whose) =>
    holdfast.notes.write({ ...whose, text, ...(when !== undefined && { condition: when }) }),
  )
}

export async function updateNote(
  terminal: Terminal,
  id: string,
  given: string | undefined,
  options: UpdateNoteOptions,
): Promise<number> {
  const text = given === undefined ? undefined : await readText(terminal, given)
  const when = conditionOf(options)
  if (text === undefined && when === undefined) throw new UsageError("Say what changes: a text or --when.")
  return changing(terminal, options, "Changed", (holdfast, whose) =>
    holdfast.notes.update({
      ...whose,
      noteID: id,
      ...(text !== undefined && { text }),
      ...(when !== undefined && { condition: when }),
    }),
  )
}

function conditionOf({ when, session }: WriteNoteOptions): string | undefined {
  if (when !== undefined && session !== undefined)
    throw new UsageError("A note of a Session has no condition. Leave out --session, or --when.")
  return when
}

export const dismissNote = (terminal: Terminal, id: string, options: NoteOptions): Promise<number> =>
  changing(terminal, options, "Dismissed", (holdfast, whose) =>
    holdfast.notes.dismiss({ ...whose, noteID: id }),
  )

async function changing(
  terminal: Terminal,
  options: NoteOptions,
  done: string,
  change: (holdfast: HoldfastClient, whose: Whose) => Promise<Note>,
): Promise<number> {
  await refuseInCalls(terminal)
  return withProject(terminal, options, async (holdfast, directory) => {
    const note = await change(holdfast, await whoseNotes(holdfast, options, directory))
    terminal.write(
      options.json === true
        ? `${JSON.stringify(note)}\n`
        : `${done} ${note.id} (${note.status}): ${printable(note.text)}\n`,
    )
  })
}

const whoseNotes = async (
  { sessions }: HoldfastClient,
  { session }: NoteOptions,
  directory: string,
): Promise<Whose> =>
  session === undefined ? { directory } : { sessionID: await findSession(sessions, session) }

function noteText(terminal: Terminal, { id, status, text, condition, place, reason }: Note): string {
  const [first] = place?.messages ?? []
  return [
    terminal.paint("dim", `${id} · ${status}`),
    printable(text),
    ...(condition === null ? [] : [terminal.paint("dim", `waits for: ${printable(condition)}`)]),
    ...(reason === null ? [] : [terminal.paint("dim", `found true: ${printable(reason)}`)]),
    ...(place === null || !place.exists || first === undefined
      ? []
      : [terminal.paint("dim", `holdfast show ${place.session} --around ${first}`)]),
  ].join("\n")
}
