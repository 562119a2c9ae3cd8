/** `holdfast archive`: leaves a Session out of the list, or takes it back (SS1). */
import { findSession } from "../input/ids.ts"
import { pasteable } from "../hint.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import type { Terminal } from "../terminal.ts"

export interface ArchiveOptions extends SharedOptions {
  readonly undo?: boolean
}

export async function archiveSession(
  terminal: Terminal,
  given: string,
  options: ArchiveOptions,
): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const session = await sessions.archive({ sessionID, archived: options.undo !== true })
    const text = session.archived
      ? `Session ${sessionID} is archived. To list such Sessions: holdfast sessions --archived\n`
      : `Session ${sessionID} is in the list again.\n`
    terminal.write(options.json === true ? `${JSON.stringify(session)}\n` : pasteable(text, options))
    return 0
  } finally {
    await opened.close()
  }
}
