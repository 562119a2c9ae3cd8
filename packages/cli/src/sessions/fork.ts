/** `holdfast fork`: another Session that begins with the same conversation, up to a message (SS1). */
import type { Session } from "@holdfast/sdk"
import { pasteable } from "../hint.ts"
import { findMessage, findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import type { Terminal } from "../terminal.ts"

export interface ForkOptions extends SharedOptions {
  /** The last message of the copy. */
  readonly at?: string
  readonly title?: string
  /** Chosen by the caller, it makes the command safe to repeat. */
  readonly id?: string
}

export async function forkSession(terminal: Terminal, given: string, options: ForkOptions): Promise<number> {
  const { at, title, id, json } = options
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const fork = await sessions.fork({
      sessionID,
      ...(at !== undefined && { messageID: await findMessage(sessions, sessionID, at) }),
      ...(title !== undefined && { title }),
      ...(id !== undefined && { id }),
    })
    terminal.write(
      json === true ? `${JSON.stringify(fork)}\n` : pasteable(describe(fork, sessionID), options),
    )
    return 0
  } finally {
    await opened.close()
  }
}

function describe({ id, origin, status }: Session, source: string): string {
  const upTo = origin?.message === undefined ? "as far as it is settled" : `up to ${origin.message}`
  const next = status.owing ? `holdfast resume ${id}` : `holdfast run --session ${id} "…"`
  return `Session ${id} begins with the conversation of ${source}, ${upTo}.\nGo on with: ${next}\n`
}
