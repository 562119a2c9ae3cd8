/** `holdfast move`: binds a Session to another directory, from its next turn on (SS1, EP9). */
import { resolve } from "node:path"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { printable, type Terminal } from "../terminal.ts"

export async function moveSession(
  terminal: Terminal,
  given: string,
  directory: string,
  options: SharedOptions,
): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions, locations } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const before = await sessions.get({ sessionID })
    const location = await locations.open({ directory: resolve(terminal.directory, directory) })
    const session = await sessions.move({ sessionID, directory: location.directory })
    const place = printable(session.location.directory)
    const moved = session.location.directory !== before.location.directory
    const text = moved
      ? `Session ${sessionID} works in ${place} from its next turn on.`
      : `Session ${sessionID} works in ${place} already; nothing has changed.`
    terminal.write(options.json === true ? `${JSON.stringify(session)}\n` : `${text}\n`)
    return 0
  } finally {
    await opened.close()
  }
}
