/** `holdfast set`: changes what a Session is called, and what a restart does with its unfinished work (DR5). */
import type { Session } from "@holdfast/sdk"
import type { RestartPolicy } from "@holdfast/schema/session"
import { clip } from "../figures.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface SetOptions extends SharedOptions {
  readonly title?: string
  readonly onRestart?: RestartPolicy
}

const titleCharactersMax = 60

export async function setSession(terminal: Terminal, given: string, options: SetOptions): Promise<number> {
  const { title, onRestart, json } = options
  if (title === undefined && onRestart === undefined)
    throw new UsageError("Say what to change: --title, --on-restart, or both.")
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const session = await sessions.update({
      sessionID: await findSession(sessions, given),
      ...(title !== undefined && { title: title.trim() === "" ? null : title }),
      ...(onRestart !== undefined && { policy: onRestart }),
    })
    terminal.write(json === true ? `${JSON.stringify(session)}\n` : `${describe(session)}\n`)
    return 0
  } finally {
    await opened.close()
  }
}

function describe({ id, title, policy }: Session): string {
  const named = title === null ? id : `${id} (${clip(printable(title), titleCharactersMax)})`
  return `Session ${named} ${whatRestartDoes[policy]}.`
}

const whatRestartDoes: Record<RestartPolicy, string> = {
  settle: "waits after a restart: what was open is settled, and resume goes on",
  continue: "goes on by itself after a restart",
}
