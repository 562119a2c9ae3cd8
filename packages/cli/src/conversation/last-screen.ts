/** What was said before somebody joins: as much of it as fits on their screen. */
import { everyItem, type Message, type SessionsOperations } from "@holdfast/sdk"
import type { Terminal } from "../terminal.ts"
import { messageLines } from "./message-lines.ts"

/** Rows that stay for what comes. */
const rowsKept = 4

/** Messages before the `turn` that is followed from its start, if one is. */
export async function lastScreen(
  terminal: Terminal,
  { messages }: Pick<SessionsOperations, "messages">,
  sessionID: string,
  { turn, system }: { readonly turn: string | null; readonly system: boolean },
): Promise<readonly string[]> {
  const view = { terminal, reasoning: false }
  const rows = Math.max(rowsKept, terminal.rows - rowsKept)
  let lines: readonly string[] = []
  const newest = everyItem((page) => messages({ sessionID, ...page }), { order: "newest-first", system })
  for await (const message of newest) {
    if (isOf(message, turn)) continue
    lines = [...messageLines(message, view), ...lines]
    if (lines.length > rows) break
  }
  if (lines.length <= rows) return lines
  const more = terminal.paint("dim", `… holdfast show ${sessionID} has what came before.`)
  return [more, ...lines.slice(1 - rows)]
}

const isOf = (message: Message, turn: string | null): boolean =>
  message.kind === "assistant" && message.turn === turn
