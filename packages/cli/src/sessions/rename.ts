/** `holdfast rename`: gives a Session another title (SS1). */
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"

export async function renameSession(
  terminal: Terminal,
  given: string,
  title: string,
  options: SharedOptions,
): Promise<number> {
  if (title.trim() === "")
    throw new UsageError('A title has letters. To take one away: holdfast set --title "" and the Session.')
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const session = await sessions.update({ sessionID: await findSession(sessions, given), title })
    const text = `Session ${session.id} is called ${printable(title)}.`
    terminal.write(options.json === true ? `${JSON.stringify(session)}\n` : `${text}\n`)
    return 0
  } finally {
    await opened.close()
  }
}
