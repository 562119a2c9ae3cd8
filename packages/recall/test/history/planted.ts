/** What is said first of all in a long conversation, and how it is looked for after many Folds. */
import { expandPage, readRange } from "@holdfast/recall"
import type { Message } from "@holdfast/schema/message"
import { assistant, call, text, user } from "../history.ts"

export const directives = Array.from(
  { length: 20 },
  (_, n) =>
    `Rule ${n}: always call the ${["red", "blue", "green", "grey"][n % 4]} valve number ${4_711 + 37 * n}.`,
)
export const statuses = [
  "completed",
  "completed",
  "pending",
  "completed",
  "cancelled",
  "completed",
  "in_progress",
  "completed",
]
export const steps = statuses.map((status, n) => ({ content: `Mend pump P-${900 + n}`, status }))

/** Twenty rules and eight tasks, said first of all. */
export const planted: readonly Message[] = [
  ...directives.flatMap((words, n) => [user(2 * n + 1, words), assistant(2 * n + 2, text("Noted."))]),
  assistant(50, { ...call(50, "ok"), name: "todo", input: { todos: steps } }),
]

export const filler = (seq: number, words: number): string =>
  Array.from({ length: words }, (_, n) => `line ${seq * 31 + n} of the log says nothing`).join("\n")

/** One call of `context_expand`. */
export function expanded(all: readonly Message[], part: string): string {
  const range = readRange(part)
  if (range === null) return ""
  return expandPage(all.filter(({ seq }) => seq >= range.fromSeq && seq <= range.toSeq)).text
}

/** In the window as it was said, or behind a handle that the window shows. */
export function answerable(shown: string, all: readonly Message[], words: string, holder: number): boolean {
  const handles = [...shown.matchAll(/#\d+/g)].map(([handle]) => handle)
  const told = handles.includes(`#${holder}`) && expanded(all, `#${holder}`).includes(words)
  return shown.includes(words) || told
}
