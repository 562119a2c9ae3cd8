/** `holdfast wire show`: what one turn sent, rebuilt from the log, with the proof beside it. */
import type { SentRequest, SessionsOperations, Verdict } from "@holdfast/sdk"
import { count } from "../figures.ts"
import { findSession, findTurn } from "../input/ids.ts"
import { listItems } from "../list-items.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import type { Terminal } from "../terminal.ts"

export interface ShowOptions extends SharedOptions {
  readonly headers?: boolean
}

export async function showSent(
  terminal: Terminal,
  given: string,
  turn: string,
  options: ShowOptions,
): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const turnID = await (/^\d+$/.test(turn)
      ? turnAt(sessions, sessionID, Number(turn))
      : findTurn(sessions, sessionID, turn))
    const sent = await sessions.sentRequest({ sessionID, turnID })
    if (options.json === true) terminal.write(`${JSON.stringify(sent)}\n`)
    else print(terminal, sent, options.headers === true)
    return sent.verdict.kind === "same" ? 0 : 1
  } finally {
    await opened.close()
  }
}

async function turnAt(sessions: SessionsOperations, sessionID: string, number: number): Promise<string> {
  const turns = await listItems((page) => sessions.turns({ sessionID, ...page }))
  const found = turns[number - 1]
  if (found !== undefined) return found.started.turn
  throw new UsageError(`Session ${sessionID} has ${count(turns.length, "turn")}; there is no turn ${number}.`)
}

/** The bytes go out as they are, so that they can be compared and sent again. */
function print(terminal: Terminal, { url, headers, body, verdict }: SentRequest, withHeaders: boolean): void {
  terminal.complain(verdictText(verdict))
  if (withHeaders) terminal.write(`POST ${url}\n${headers.map((name) => `${name}: …\n`).join("")}\n`)
  if (body !== null) terminal.write(body)
}

function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case "same":
      return "same"
    case "different":
      return `different: the turn recorded ${verdict.expected}, these bytes have ${verdict.found}`
    case "other-encoder":
      return `other encoder version: the turn was sent by ${verdict.encoder}`
    case "unreadable":
      return `unreadable: ${verdict.problem}`
  }
}
