/** `holdfast set`: changes what a Session is called, what it may do and spend, and what a restart does with its unfinished work (DR5, DR9, PE4). */
import type { AllowRule, OnAsk, Session } from "@holdfast/sdk"
import type { RestartPolicy } from "@holdfast/schema/session"
import { clip } from "../figures.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import { type BudgetOptions, budgetChange, budgetText } from "./budget.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface SetOptions extends SharedOptions, BudgetOptions {
  readonly title?: string
  readonly onRestart?: RestartPolicy
  readonly onAsk?: OnAsk
  readonly allow?: readonly AllowRule[]
}

const titleCharactersMax = 60

export async function setSession(terminal: Terminal, given: string, options: SetOptions): Promise<number> {
  const { title, onRestart, onAsk, allow, json } = options
  const changes = {
    ...(title !== undefined && { title: title.trim() === "" ? null : title }),
    ...(onRestart !== undefined && { policy: onRestart }),
    ...(onAsk !== undefined && { onAsk }),
    ...(allow !== undefined && { allow }),
    ...budgetChange(options),
  }
  if (Object.keys(changes).length === 0)
    throw new UsageError(
      "Say what to change: --title, --on-restart, --on-ask, --allow, --budget-tokens or --budget-money.",
    )
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const session = await sessions.update({
      sessionID: await findSession(sessions, given),
      ...changes,
    })
    terminal.write(json === true ? `${JSON.stringify(session)}\n` : `${describe(session)}\n`)
    return 0
  } finally {
    await opened.close()
  }
}

function describe({ id, title, policy, onAsk, allow, budget }: Session): string {
  const named = title === null ? id : `${id} (${clip(printable(title), titleCharactersMax)})`
  const allowed = allow.length === 0 ? "" : `It may do without asking: ${allow.join(", ")}.`
  return [`Session ${named} ${whatRestartDoes[policy]}.`, whatAskingDoes[onAsk], allowed, budgetText(budget)]
    .filter(Boolean)
    .join(" ")
}

const whatAskingDoes: Record<OnAsk, string> = {
  wait: "Where somebody has to be asked, it waits for the answer.",
  deny: "What somebody would have to be asked for is declined.",
  allow: "What somebody would have to be asked for is allowed.",
  fail: "Where somebody would have to be asked, it fails.",
}

const whatRestartDoes: Record<RestartPolicy, string> = {
  settle: "waits after a restart: what was open is settled, and resume goes on",
  continue: "goes on by itself after a restart",
}
