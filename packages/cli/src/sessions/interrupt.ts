/** `holdfast interrupt`: stops what a Session is doing, here, at a server or in another process (DR3). */
import { settled } from "@holdfast/sdk"
import { pasteable } from "../hint.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import type { Terminal } from "../terminal.ts"

export async function interruptSession(
  terminal: Terminal,
  given: string,
  options: SharedOptions,
): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const before = await sessions.get({ sessionID })
    await sessions.interrupt({ sessionID })
    await settled({ sessions }, { sessionID }) // whoever leads it has let go
    const after = await sessions.get({ sessionID })
    if (options.json === true) {
      terminal.write(`${JSON.stringify(after)}\n`)
      return 0
    }
    const { owing, pending } = after.status
    terminal.write(
      after.seq > before.seq
        ? `Session ${sessionID} is interrupted.\n`
        : `Session ${sessionID} was not at work; nothing has changed.\n`,
    )
    if (owing || pending > 0) terminal.write(pasteable(`Go on with: holdfast resume ${sessionID}\n`, options))
    return 0
  } finally {
    await opened.close()
  }
}
