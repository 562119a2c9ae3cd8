/** `holdfast asks`: what Sessions wait for somebody to answer, oldest first (PE5). */
import type { Ask } from "@holdfast/sdk"
import { age, clip } from "../figures.ts"
import { findSession } from "../input/ids.ts"
import { listItems } from "../list-items.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { showTable } from "../table.ts"
import type { Terminal } from "../terminal.ts"
import { touched } from "./ask-lines.ts"
import { listOpenAsks } from "./prompting.ts"
import { nameHiddenInLine } from "./hidden-characters.ts"

export async function listAsks(
  terminal: Terminal,
  given: string | undefined,
  options: SharedOptions,
): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { holdfast } = opened
    const asks = await (given === undefined
      ? listItems((page) => holdfast.asks.list(page))
      : listOpenAsks(holdfast, await findSession(holdfast.sessions, given)))
    if (options.json === true) {
      for (const ask of asks) terminal.write(`${JSON.stringify(ask)}\n`)
    } else if (asks.length === 0) {
      terminal.write("Nothing waits for an answer.\n")
    } else {
      const now = Date.now()
      await showTable(
        terminal,
        columns,
        asks.map((ask) => rowOf(ask, now)),
      )
    }
    return 0
  } finally {
    await opened.close()
  }
}

const columns = [
  { title: "ASK" },
  { title: "SESSION", cutTo: 12 },
  { title: "AGE", right: true },
  { title: "ABOUT", cutTo: 20 },
  { title: "RULE", cutTo: 8, leave: 1 },
]

const aboutCharactersMax = 120

const rowOf = (ask: Ask, now: number): readonly string[] => [
  ask.id,
  ask.session,
  age(now - ask.raisedAt),
  clip(ask.kind === "permission" ? touched(ask) : nameHiddenInLine(ask.question), aboutCharactersMax),
  ask.rule === null ? "none" : nameHiddenInLine(ask.rule),
]
