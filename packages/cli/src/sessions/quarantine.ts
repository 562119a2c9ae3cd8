/** `holdfast quarantine`: takes one message out of what models read, for good; it stays stored (LL7). */
import type { SessionsOperations } from "@holdfast/sdk"
import { pasteable } from "../hint.ts"
import { findMessage, findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import type { Terminal } from "../terminal.ts"
import { confirm, findRefused } from "./find-refused.ts"

export interface QuarantineOptions extends SharedOptions {
  /** Which message it is has to be found first. */
  readonly find?: boolean
  /** Confirmed on the command line. */
  readonly yes?: boolean
}

export async function quarantine(
  terminal: Terminal,
  given: string,
  message: string | null,
  options: QuarantineOptions,
): Promise<number> {
  const find = options.find === true
  if (find === (message !== null))
    throw new UsageError("Name the message that is to be taken out, or let it be found with --find.")
  // The search asks the model, and a Session may have been started with the offline one.
  const opened = await openForCommand(terminal, { ...options, purpose: find ? "work" : "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const found =
      message === null
        ? await findAndAsk(terminal, sessions, sessionID, options)
        : await findMessage(sessions, sessionID, message)
    if (found === null) return 1
    await sessions.quarantine({ sessionID, messageID: found })
    await tellTaken(terminal, sessions, sessionID, found, options)
    return 0
  } finally {
    await opened.close()
  }
}

async function findAndAsk(
  terminal: Terminal,
  sessions: SessionsOperations,
  sessionID: string,
  options: QuarantineOptions,
): Promise<string | null> {
  const found = await findRefused(terminal, sessions, sessionID, options)
  if (found === null) return null
  const told = `The provider refuses ${found.name}. To take it out cannot be undone.`
  if (await confirm(terminal, told, "Take it out?", options)) return found.id
  terminal.complain(
    pasteable(`It stays. To take it out: holdfast quarantine ${sessionID} ${found.id}`, options),
  )
  return null
}

async function tellTaken(
  terminal: Terminal,
  sessions: SessionsOperations,
  sessionID: string,
  messageID: string,
  options: QuarantineOptions,
): Promise<void> {
  if (options.json === true) {
    terminal.write(`${JSON.stringify(await sessions.message({ sessionID, messageID }))}\n`)
    return
  }
  const { status } = await sessions.get({ sessionID })
  terminal.write(`Models do not read message ${messageID} any more; it stays stored.\n`)
  if (status.owing) terminal.write(pasteable(`Go on with: holdfast resume ${sessionID}\n`, options))
}
