/**
 * The note nudge: once something has come to an end, the model hears beside the next words of a person that it has
 * open notes (ND1).
 *
 *   history was published, a commit was made, every step of the list is done ──▶ told, at most every 15 minutes
 *
 * Not while the window still shows that it read them and none was written since. Its text holds counts only.
 */
import type { SyntheticPart } from "@holdfast/schema/fact/fact"
import type { Message } from "@holdfast/schema/message"
import type { Items } from "@holdfast/schema/state/items"
import { shownOf } from "../historian/chunk.ts"
import { isOpenTodo } from "./todo-pair.ts"

export interface NoteNudgeQuestion {
  readonly items: Pick<Items, "notes" | "noteNudged" | "publishedSeqs" | "todos">
  readonly messages: readonly Message[]
  readonly nowMs: number
}

/** The tool by which a model keeps notes (TL4). */
export const noteToolName = "context_note"

const cooldownMs = 15 * 60_000
/** Answers in which a commit is looked for. */
const answersMax = 5

export function noteNudgeFor({ items, messages, nowMs }: NoteNudgeQuestion): SyntheticPart | null {
  const { notes, noteNudged } = items
  if (notes.size === 0 || (noteNudged.seq > 0 && nowMs - noteNudged.time < cooldownMs)) return null
  const calls = noteCalls(messages)
  const changedSeq = Math.max(...[...notes.values()].map(({ changedSeq: seq }) => seq))
  if (calls.readSeq > changedSeq) return null
  if (!somethingEnded(items, messages, Math.max(noteNudged.seq, calls.lastSeq))) return null
  return { kind: "note", text: textOf(notes.size) }
}

/** The newest call of the tool, and the newest that read the notes. */
function noteCalls(messages: readonly Message[]): { readonly lastSeq: number; readonly readSeq: number } {
  let [lastSeq, readSeq] = [0, 0]
  for (const message of messages) {
    if (message.kind !== "assistant") continue
    for (const { part } of message.parts) {
      if (part.type !== "call" || part.name !== noteToolName || part.outcome?.state !== "done") continue
      lastSeq = part.seq ?? message.seq
      const { action } = part.input as { readonly action?: unknown }
      if (action === "read") readSeq = lastSeq
    }
  }
  return { lastSeq, readSeq }
}

function somethingEnded(
  { publishedSeqs, todos }: NoteNudgeQuestion["items"],
  messages: readonly Message[],
  sinceSeq: number,
): boolean {
  if ([...publishedSeqs.values()].some((seq) => seq > sinceSeq)) return true
  if (todos.seq > sinceSeq && todos.list.length > 0 && !todos.list.some(isOpenTodo)) return true
  const answers = messages.filter(({ kind }) => kind === "assistant").slice(-answersMax)
  return answers.some((answer) => answer.seq > sinceSeq && (shownOf(answer)?.commits.length ?? 0) > 0)
}

const textOf = (open: number): string =>
  open === 1
    ? `You have an open note. Call ${noteToolName} to read it, and dismiss it if it is done.`
    : `You have ${open} open notes. Call ${noteToolName} to read them, and dismiss those that are done.`
