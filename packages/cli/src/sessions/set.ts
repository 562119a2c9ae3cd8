/** `holdfast set`: changes what a Session is called, who works in it, what it may do and spend, and what a restart does with its unfinished work (DR5, DR9, PE4). */
import type { AllowRule, OnAsk, Session } from "@holdfast/sdk"
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
  readonly onAsk?: OnAsk
  readonly allow?: readonly AllowRule[]
}

const titleCharactersMax = 60

export async function setSession(terminal: Terminal, given: string, options: SetOptions): Promise<number> {
  const { title, agent, onRestart, onAsk, allow, json } = options
  const changes = {
    ...(title !== undefined && { title: title.trim() === "" ? null : title }),
    ...(onRestart !== undefined && { policy: onRestart }),
    ...(onAsk !== undefined && { onAsk }),
    ...(allow !== undefined && { allow }),
    ...budgetChange(options),
  }
  if (Object.keys(changes).length === 0 && agent === undefined)
    throw new UsageError(
      "Say what to change: --title, --agent, --on-restart, --on-ask, --allow, --budget-tokens or --budget-money.",
    )
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
  now: Pick<Session, "id" | "title" | "agent" | "policy" | "onAsk" | "allow" | "budget">,
  changes: { readonly [Name in keyof typeof now]?: unknown },
): string {
  const said: { readonly [Name in keyof typeof now]?: string } = {
    title: whatItIsCalled(now.title),
    agent: `works with the agent ${printable(now.agent)} from the next turn on`,
    policy: whatRestartDoes[now.policy],
    onAsk: whatAskingDoes[now.onAsk],
    allow: whatItMayDo(now.allow),
    budget: whatItMaySpend(now.budget),
  }
  const names = Object.keys(said) as (keyof typeof said)[]
  const sentences = names.flatMap((name) => (changes[name] === undefined ? [] : [said[name]]))
  return `Session ${now.id} ${sentences.join(". It ")}.`
}

const whatItMayDo = (allow: readonly AllowRule[]): string =>
  allow.length === 0 ? "may do nothing more without asking" : `may do without asking: ${allow.join(", ")}`

const whatAskingDoes: Record<OnAsk, string> = {
  wait: "waits for the answer where somebody has to be asked",
  deny: "declines what somebody would have to be asked for",
  allow: "allows what somebody would have to be asked for",
  fail: "fails where somebody would have to be asked",
}

const whatItIsCalled = (title: string | null): string =>
  title === null ? "has no title any more" : `is called ${clip(printable(title), titleCharactersMax)}`

const whatRestartDoes: Record<RestartPolicy, string> = {
  settle: "waits after a restart: what was open is settled, and resume goes on",
  continue: "goes on by itself after a restart",
}
