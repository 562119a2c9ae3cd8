/** `holdfast window`: what the model will see next, on one screen (SU2). */
import { findSession } from "../input/ids.ts"
import { warnOfInstructions } from "../instructions.ts"
import { listItems } from "../list-items.ts"
import { openForCommand } from "../opened.ts"
import type { Terminal } from "../terminal.ts"
import { layoutWindow } from "./layout.ts"
import { windowView } from "./view.ts"

export interface WindowOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly server?: boolean
}

export async function showWindow(terminal: Terminal, given: string, options: WindowOptions): Promise<number> {
  // What would be sent depends on the model, and a Session may have been started with the offline one.
  const opened = await openForCommand(terminal, { ...options, purpose: "plan" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const request = await sessions.request({ sessionID })
    const session = await sessions.get({ sessionID })
    await warnOfInstructions(terminal, session.location.directory, options)
    if (options.json === true) {
      terminal.write(`${JSON.stringify(request)}\n`)
      return 0
    }
    const turns = await listItems((page) => sessions.turns({ sessionID, ...page }))
    const lines = layoutWindow(windowView(session, request, turns), terminal.paint, terminal.columns)
    terminal.write(`${lines.join("\n")}\n`)
    return 0
  } finally {
    await opened.close()
  }
}
