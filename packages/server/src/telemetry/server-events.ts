/**
 * What an operator may want to read in a log, from the commits of the runtime: turns, takeovers,
 * and what the store could not take. Reasons are told by their code, since their sentences may quote
 * what a provider said.
 */
import type { CommitEvent } from "@holdfast/core/watch/commits"
import type { FactOf } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"

export interface ServerEvent {
  /** How much it concerns somebody: `warn` is worth a look. */
  readonly level: "debug" | "info" | "warn"
  readonly event: "turn" | "takeover" | "commit-failed"
  readonly fields: Readonly<Record<string, string | number>>
}

export function serverEventsOf(event: CommitEvent): readonly ServerEvent[] {
  switch (event.type) {
    case "failed": {
      const { command, failure } = event
      return [{ level: "warn", event: "commit-failed", fields: { kind: command.kind, code: failure.code } }]
    }
    case "acquire": {
      const { session, dead } = event.command
      const taken = event.outcome.kind === "granted" && dead !== null
      return taken ? [{ level: "info", event: "takeover", fields: { session } }] : []
    }
    case "append": {
      const { session, facts } = event.command
      if (event.outcome.kind !== "appended") return []
      return facts.flatMap((fact) => (fact.type === "turn.settled" ? [turnEvent(session, fact)] : []))
    }
    default:
      return []
  }
}

function turnEvent(session: SessionId, fact: FactOf<"turn.settled">): ServerEvent {
  const { turn, status, reason, ledger } = fact
  const { input, output, cacheRead, cacheWrite } = ledger.usage
  const fields = {
    session,
    turn,
    status,
    ...(reason && { code: reason.code }),
    ms: ledger.durationMs,
    tokensIn: input + cacheRead + cacheWrite,
    tokensOut: output,
    ...(ledger.cost !== null && { dollars: ledger.cost }),
  }
  return { level: status === "failed" ? "warn" : "debug", event: "turn", fields }
}
