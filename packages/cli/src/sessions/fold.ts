/** `holdfast fold`: asks for a cut of what the next request shows of a conversation (TU6, SU4). */
import type { PlannedRequest } from "@holdfast/sdk"
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
    terminal.write(`${pasteable(foldText(sessionID, before, after), options)}\n`)
    return 0
  } finally {
    await opened.close()
  }
}

/** A cut is made by the next request; until then it is a plan. */
export function foldText(sessionID: string, before: Planned, after: Planned): string {
  if (after.tokens < before.tokens)
    return `The next request will have about ${count(after.tokens)} tokens instead of ${count(before.tokens)}, and the provider reads it anew, not from its cache. What it leaves out stays stored.`
  if (after.tokens === 0 && after.obstacle !== null)
    return `The cut is asked for, but how much it takes out is not known yet: ${after.obstacle.message}`
  return `Not enough can be taken out to be worth it: the next request keeps its ${count(before.tokens)} tokens. To see what they are: holdfast window ${sessionID}`
}

type Planned = Pick<PlannedRequest, "tokens" | "obstacle">
