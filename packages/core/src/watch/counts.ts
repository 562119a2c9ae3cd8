/**
 * What one commit adds to the counters of a runtime.
 *
 * Pure, and the whole list: a counter that is not here does not exist. Labels are words of ours, each
 * from a short list; no id, no path and no text is ever one.
 */
import type { Fact } from "@holdfast/schema/event"
import type { Usage } from "@holdfast/schema/model"
import { TurnStatus } from "@holdfast/schema/turn"
import type { CommitEvent } from "./commits.ts"

/** By name, as a scrape shows them; each says what it counts. */
export const counters = {
  holdfast_admissions_total:
    "Prompts that were admitted. One that is sent again with the same id counts once.",
  holdfast_turns_total: "Turns that settled, by how they ended.",
  holdfast_attempts_failed_total: "Requests to providers that failed, by the code of the failure.",
  holdfast_calls_total: "Calls of tools that settled, by how they ended.",
  holdfast_tokens_total: "Tokens that providers counted, by kind; cache_read is what came from their caches.",
  holdfast_cost_dollars_total: "Dollars that turns cost, as far as it is known.",
  holdfast_cost_unknown_total: "Turns of which nobody knows what they cost.",
  holdfast_breaks_total: "Requests that could not repeat the one before to its end, by reason.",
  holdfast_lease_takeovers_total: "Sessions that were taken over from a process that was found dead.",
  holdfast_commits_total: "Commands that are on disk, by kind.",
  holdfast_commits_failed_total: "Commands that the store could not take, by code.",
} as const satisfies Readonly<Record<string, string>>

export type CounterName = keyof typeof counters

export interface Count {
  readonly counter: CounterName
  readonly labels: Readonly<Record<string, string>>
  readonly by: number
}

export function countsOf(event: CommitEvent): readonly Count[] {
  if (event.type === "failed") return [once("holdfast_commits_failed_total", { code: event.failure.code })]
  return [once("holdfast_commits_total", { kind: event.type }), ...countsOfCommand(event)]
}

/** Shown from the start, so that the first increase of each can be seen. */
export const startingCounts: readonly Count[] = [
  ...TurnStatus.literals.map((status) => count("holdfast_turns_total", 0, { status })),
  ...tokenCounts({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }),
  count("holdfast_admissions_total", 0),
  count("holdfast_cost_dollars_total", 0),
  count("holdfast_cost_unknown_total", 0),
  count("holdfast_lease_takeovers_total", 0),
]

function countsOfCommand(event: Exclude<CommitEvent, { type: "failed" }>): readonly Count[] {
  switch (event.type) {
    case "admit": {
      const { outcome } = event
      return outcome.kind === "admitted" && !outcome.repeated ? [once("holdfast_admissions_total")] : []
    }
    case "acquire": {
      const taken = event.outcome.kind === "granted" && event.command.dead !== null
      return taken ? [once("holdfast_lease_takeovers_total")] : []
    }
    case "append":
      return event.outcome.kind === "appended" ? event.command.facts.flatMap(countsOfFact) : []
    case "settle-job":
      return event.outcome.kind === "settled" ? countsOfFact(event.command.fact) : []
    case "contribute": {
      const { outcome } = event
      const isNew = outcome.kind === "contributed" && !outcome.repeated
      return isNew ? countsOfFact(event.command.fact) : []
    }
    default:
      return []
  }
}

function countsOfFact(fact: Fact): readonly Count[] {
  switch (fact.type) {
    case "turn.started":
      return fact.break === null ? [] : [once("holdfast_breaks_total", { reason: fact.break.reason })]
    case "turn.settled": {
      const { usage, cost, attempts } = fact.ledger
      return [
        once("holdfast_turns_total", { status: fact.status }),
        ...attempts.flatMap(({ failure }) =>
          failure === null ? [] : [once("holdfast_attempts_failed_total", { code: failure.code })],
        ),
        ...spentCounts(usage, cost),
      ]
    }
    case "call.settled":
      return [once("holdfast_calls_total", { state: fact.outcome.state })]
    case "request.probed":
    case "cache.warmed":
    case "job.settled":
      return spentCounts(fact.usage, fact.cost)
    default:
      return []
  }
}

function spentCounts(usage: Usage, cost: number | null): readonly Count[] {
  const paid =
    cost === null ? once("holdfast_cost_unknown_total") : count("holdfast_cost_dollars_total", cost)
  return [...tokenCounts(usage), paid]
}

function tokenCounts({ input, output, cacheRead, cacheWrite }: Usage): readonly Count[] {
  const tokens = (kind: string, by: number) => count("holdfast_tokens_total", by, { kind })
  return [
    tokens("input", input),
    tokens("output", output),
    tokens("cache_read", cacheRead),
    tokens("cache_write", cacheWrite),
  ]
}

function count(counter: CounterName, by: number, labels: Count["labels"] = {}): Count {
  return { counter, labels, by }
}

function once(counter: CounterName, labels: Count["labels"] = {}): Count {
  return count(counter, 1, labels)
}
