/** `holdfast delete`: removes a Session with all that is stored of it, once somebody has confirmed it. */
import { isFailure, type Session, type SessionsOperations, settled } from "@holdfast/sdk"
import { clip, count } from "../figures.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface DeleteOptions extends SharedOptions {
  /** Confirmed on the command line. */
  readonly yes?: boolean
}

const titleCharactersMax = 60

export async function deleteSession(
  terminal: Terminal,
  given: string,
  options: DeleteOptions,
): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const session = await sessions.get({ sessionID })
    if (options.yes !== true && !(await isConfirmed(terminal, session, options))) {
      terminal.complain("Nothing was deleted.")
      return 1
    }
    await remove(sessions, sessionID)
    terminal.write(
      options.json === true
        ? `${JSON.stringify({ type: "deleted", session: sessionID })}\n`
        : `Session ${sessionID} is deleted.\n`,
    )
    return 0
  } finally {
    await opened.close()
  }
}

async function isConfirmed(
  terminal: Terminal,
  { id, title, turns, status }: Session,
  { json }: DeleteOptions,
): Promise<boolean> {
  const named = title === null ? id : `${id} (${clip(printable(title), titleCharactersMax)})`
  const work = status.state === "running" ? ", which is at work," : ""
  const question = `Delete Session ${named}${work} with its ${count(turns, "turn")}? It cannot be undone. [y/N] `
  const answer = json === true ? null : await terminal.ask(question)
  if (answer === null)
    throw new UsageError(`Deleting Session ${id} cannot be undone. Add --yes if that is meant.`)
  return /^\s*y(es)?\s*$/i.test(answer)
}

/** Asking to delete interrupts as well; a process that leads the Session needs a moment to let go. */
async function remove(sessions: SessionsOperations, sessionID: string): Promise<void> {
  try {
    await sessions.delete({ sessionID })
  } catch (failure) {
    if (!isFailure(failure, "StoreFailure") || failure.code !== "busy") throw failure
    await settled({ sessions }, { sessionID })
    await sessions.delete({ sessionID })
  }
}
