/** `holdfast quarantine`: takes one message out of what models read, for good; it stays stored (LL7). */
import { pasteable } from "../hint.ts"
import { findMessage, findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import type { Terminal } from "../terminal.ts"

export async function quarantineMessage(
  terminal: Terminal,
  given: string,
  message: string,
  options: SharedOptions,
): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const messageID = await findMessage(sessions, sessionID, message)
    await sessions.quarantine({ sessionID, messageID })
    if (options.json === true) {
      terminal.write(`${JSON.stringify(await sessions.message({ sessionID, messageID }))}\n`)
      return 0
    }
    const { status } = await sessions.get({ sessionID })
    terminal.write(`Models do not read message ${messageID} any more; it stays stored.\n`)
    if (status.owing) terminal.write(pasteable(`Go on with: holdfast resume ${sessionID}\n`, options))
    return 0
  } finally {
    await opened.close()
  }
}
