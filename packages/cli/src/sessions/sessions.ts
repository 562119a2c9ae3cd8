/** `holdfast sessions`: which Sessions there are, newest first. */
import { homedir } from "node:os"
import type { SessionInfo } from "@holdfast/schema/session"
import { age, clip } from "../figures.ts"
import { listItems } from "../list-items.ts"
import { openForCommand } from "../opened.ts"
import { formatTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface SessionsOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly server?: boolean
  readonly limit: number
}

const titleCharactersMax = 40

export async function listSessions(terminal: Terminal, options: SessionsOptions): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, answers: false })
  try {
    const sessions = await listItems(opened.holdfast.sessions.list, options.limit)
    if (options.json === true) {
      for (const session of sessions) terminal.write(`${JSON.stringify(session)}\n`)
    } else if (sessions.length === 0) {
      terminal.write('There is no Session yet. Start one: holdfast run "Describe this project."\n')
    } else {
      terminal.write(
        `${formatTable(
          columns,
          sessions.map((session) => rowOf(session, Date.now())),
        )}\n`,
      )
    }
    return 0
  } finally {
    await opened.close()
  }
}

const columns = [
  { title: "SESSION" },
  { title: "STATE" },
  { title: "ANSWER OWED" },
  { title: "PENDING", right: true },
  { title: "TURNS", right: true },
  { title: "AGE", right: true },
  { title: "TITLE" },
  { title: "DIRECTORY" },
]

function rowOf(
  { id, status, turns, updatedAt, title, location }: SessionInfo,
  now: number,
): readonly string[] {
  const home = homedir()
  const { directory } = location
  const short =
    home !== "/" && directory.startsWith(`${home}/`) ? `~${directory.slice(home.length)}` : directory
  return [
    id,
    status.state,
    status.owing ? "yes" : "no",
    String(status.pending),
    String(turns),
    age(now - updatedAt),
    clip(printable(title ?? "(no title)"), titleCharactersMax),
    printable(short),
  ]
}
