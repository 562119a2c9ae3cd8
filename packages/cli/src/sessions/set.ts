/** `holdfast set`: changes what a Session is called, who works in it, what it may spend, and what a restart does with its unfinished work (DR5, DR9). */
import type { Session } from "@holdfast/sdk"
import type { RestartPolicy } from "@holdfast/schema/session"
import { clip } from "../figures.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import { type BudgetOptions, budgetChange, budgetText } from "./budget.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface SetOptions extends SharedOptions, BudgetOptions {
  readonly title?: string
  readonly agent?: string
  readonly onRestart?: RestartPolicy
}

const titleCharactersMax = 60
const agentDefault = "build"

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
    terminal.write(json === true ? `${JSON.stringify(session)}\n` : `${describe(session)}\n`)
    return 0
  } finally {
    await opened.close()
  }
}

function describe({ id, title, agent, policy, budget }: Session): string {
  const named = title === null ? id : `${id} (${clip(printable(title), titleCharactersMax)})`
  const works = agent === agentDefault ? null : `Its agent is ${printable(agent)}.`
  return [`Session ${named} ${whatRestartDoes[policy]}.`, works, budgetText(budget)].filter(Boolean).join(" ")
}

const whatRestartDoes: Record<RestartPolicy, string> = {
  settle: "waits after a restart: what was open is settled, and resume goes on",
  continue: "goes on by itself after a restart",
}
