/** `holdfast set`: changes what a Session is called, who works in it, what it may spend, and what a restart does with its unfinished work (DR5, DR9). */
import type { Session } from "@holdfast/sdk"
import type { RestartPolicy } from "@holdfast/schema/session"
import { clip } from "../figures.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import { type BudgetOptions, budgetChange, whatItMaySpend } from "./budget.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface SetOptions extends SharedOptions, BudgetOptions {
  readonly title?: string
  readonly agent?: string
  readonly onRestart?: RestartPolicy
}

const titleCharactersMax = 60

export async function setSession(terminal: Terminal, given: string, options: SetOptions): Promise<number> {
  const { title, agent, onRestart, json } = options
  const changes = {
    ...(title !== undefined && { title: title.trim() === "" ? null : title }),
    ...(onRestart !== undefined && { policy: onRestart }),
    ...budgetChange(options),
  }
  if (Object.keys(changes).length === 0 && agent === undefined) {
    throw new UsageError(
      "Say what to change: --title, --agent, --on-restart, --budget-tokens or --budget-money.",
    )
  }
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    // First, since it may be refused: then nothing has changed.
    if (agent !== undefined) await sessions.switchAgent({ sessionID, agent })
    const session = await (Object.keys(changes).length === 0
      ? sessions.get({ sessionID })
      : sessions.update({ sessionID, ...changes }))
    const set = { ...changes, ...(agent !== undefined && { agent }) }
    terminal.write(json === true ? `${JSON.stringify(session)}\n` : `${describeChange(session, set)}\n`)
    return 0
  } finally {
    await opened.close()
  }
}

/** What was set, as it is now. */
export function describeChange(
  { id, title, agent, policy, budget }: Pick<Session, "id" | "title" | "agent" | "policy" | "budget">,
  changes: {
    readonly title?: unknown
    readonly agent?: unknown
    readonly policy?: unknown
    readonly budget?: unknown
  },
): string {
  const sentences = [
    ...(changes.title === undefined ? [] : [whatItIsCalled(title)]),
    ...(changes.agent === undefined
      ? []
      : [`works with the agent ${printable(agent)} from the next turn on`]),
    ...(changes.policy === undefined ? [] : [whatRestartDoes[policy]]),
    ...(changes.budget === undefined ? [] : [whatItMaySpend(budget)]),
  ]
  return `Session ${id} ${sentences.join(". It ")}.`
}

const whatItIsCalled = (title: string | null): string =>
  title === null ? "has no title any more" : `is called ${clip(printable(title), titleCharactersMax)}`

const whatRestartDoes: Record<RestartPolicy, string> = {
  settle: "waits after a restart: what was open is settled, and resume goes on",
  continue: "goes on by itself after a restart",
}
