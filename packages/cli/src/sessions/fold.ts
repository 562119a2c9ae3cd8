/** `holdfast fold`: asks for a cut of what the next request shows of a conversation (TU6, SU4). */
import { count } from "../figures.ts"
import { pasteable } from "../hint.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import type { Terminal } from "../terminal.ts"

export async function foldSession(
  terminal: Terminal,
  given: string,
  options: SharedOptions,
): Promise<number> {
  // What would be sent depends on the model, and a Session may have been started with the offline one.
  const opened = await openForCommand(terminal, { ...options, purpose: "plan" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const before = await sessions.request({ sessionID })
    await sessions.fold({ sessionID })
    const after = await sessions.request({ sessionID })
    if (options.json === true) {
      terminal.write(`${JSON.stringify(after)}\n`)
      return 0
    }
    terminal.write(`${pasteable(foldText(sessionID, before.tokens, after.tokens), options)}\n`)
    return 0
  } finally {
    await opened.close()
  }
}

/** A cut is made by the next request; until then it is a plan. */
const foldText = (sessionID: string, before: number, after: number): string =>
  after < before
    ? `The next request will have about ${count(after)} tokens instead of ${count(before)}, and the provider reads it anew, not from its cache. What it leaves out stays stored.`
    : `Not enough can be taken out to be worth it: the next request keeps its ${count(before)} tokens. To see what they are: holdfast window ${sessionID}`
