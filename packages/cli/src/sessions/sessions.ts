/** `holdfast sessions`: which Sessions there are, newest first. */
import type { Session } from "@holdfast/sdk"
import { homedir } from "node:os"
import { age, clip } from "../figures.ts"
import { pasteable } from "../hint.ts"
import { listItems } from "../list-items.ts"
import { openForCommand } from "../opened.ts"
import { statusWords } from "./status-words.ts"
import { showTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface SessionsOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly server?: boolean
  readonly limit: number
  readonly archived?: boolean
}

const titleCharactersMax = 40

export async function listSessions(terminal: Terminal, options: SessionsOptions): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { list } = opened.holdfast.sessions
    const archived = options.archived === true
    // A cursor stands alone: it knows which list it goes on with.
    const sessions = await listItems(
      (page) => list(archived && page.cursor === undefined ? { ...page, archived } : page),
      options.limit,
    )
    if (options.json === true) {
      for (const session of sessions) terminal.write(`${JSON.stringify(session)}\n`)
    } else if (sessions.length === 0 && archived) {
      terminal.write("No Session is archived.\n")
    } else if (sessions.length === 0) {
      const start = 'holdfast run "Describe this project."'
      terminal.write(pasteable(`There is no Session yet. Start one: ${start}\n`, options))
    } else {
      const now = Date.now()
      const rows = sessions.map((session) => rowOf(session, now))
      await showTable(terminal, columns, rows)
    }
    return 0
  } finally {
    await opened.close()
  }
}

const columns = [
  { title: "SESSION" },
  { title: "STATE", cutTo: 17 },
  { title: "ANSWER OWED" },
  { title: "PENDING", right: true, leave: 3 },
  { title: "TURNS", right: true, leave: 1 },
  { title: "AGE", right: true },
  { title: "TITLE", cutTo: 16 },
  { title: "DIRECTORY", cutTo: 16, leave: 2 },
]

function rowOf({ id, status, turns, updatedAt, title, location }: Session, now: number): readonly string[] {
  const home = homedir()
  const { directory } = location
  const short =
    home !== "/" && directory.startsWith(`${home}/`) ? `~${directory.slice(home.length)}` : directory
  return [
    id,
    statusWords[status.state],
    status.owing ? "yes" : "no",
    String(status.pending),
    String(turns),
    age(now - updatedAt),
    clip(printable(title ?? "(no title)"), titleCharactersMax),
    printable(short),
  ]
}
