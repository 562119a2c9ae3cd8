/**
 * What holds for the history of a Session at every turn of its log, whoever was killed while it was written.
 *
 *   HB4  each message is raw, or in one compartment, and each compartment below the boundary is told once
 *   HI4  a range is published once, where the one before ended
 *   PS7  what somebody asked for is on record, and a pass ends it once
 *   TG2  what a drop left stays as it is
 *   HI1  no job is left behind
 */
import { DatabaseSync } from "node:sqlite"
import type { Event } from "@holdfast/schema/event"
import { isReverted } from "@holdfast/schema/state/items"
import { advance, emptyState, type SessionState } from "@holdfast/schema/state/state"
import { Broken, checkFrozen, checkPlaces, checkSlots } from "../../recall/driver/oracle.ts"

/** How often a fold or a flush was acknowledged. */
export interface Asked {
  readonly fold: number
  readonly flush: number
}

export function judgeRecall(events: readonly Event[], asked: Asked): readonly string[] {
  const problems: string[] = []
  const said = new Set<number>()
  const waiting = new Set<string>()
  const raised = { fold: 0, flush: 0 }
  let state: SessionState = emptyState
  for (const event of events) {
    const { fact, seq } = event
    const before = state
    state = advance(state, event)
    if (fact.type === "signal.raised") waiting.add(fact.signal)
    if (fact.type === "signal.raised" && (fact.kind === "fold" || fact.kind === "flush"))
      raised[fact.kind] += 1
    if (
      fact.type === "history.published" &&
      fact.job !== null &&
      fact.fromSeq !== before.summary.historyEnd + 1
    )
      problems.push(`[HI4] ${fact.fromSeq} is published behind ${before.summary.historyEnd}`)
    if (fact.type === "pass.applied") {
      for (const signal of fact.consumes)
        if (!waiting.delete(signal))
          problems.push(`[PS7] the pass at ${seq} ends ${signal}, which does not wait`)
      problems.push(...broken("TG2", () => checkFrozen(before.frozen, state)))
    }
    if (fact.type !== "turn.started") continue
    for (const message of state.messages) if (message.kind !== "system") said.add(message.seq)
    problems.push(...broken("HB4", () => checkTurn(events, event, state, said)))
  }
  for (const kind of ["fold", "flush"] as const)
    if (raised[kind] < asked[kind]) problems.push(`[PS7] a ${kind} was acknowledged and is lost`)
  return problems
}

function checkTurn(
  events: readonly Event[],
  { seq, fact }: Event,
  state: SessionState,
  said: ReadonlySet<number>,
): void {
  if (fact.type !== "turn.started") return
  const left = checkPlaces(state, new Set([...said].filter((each) => !isReverted(state.items, each))))
  // Where nothing can be sent nothing is stated anew, and a Hold may be overtaken by what others publish.
  const settled = events[seq]?.fact
  const refused = settled?.type === "turn.settled" && settled.reason?.code === "window_exceeded"
  const overtaken = events.slice(fact.seenSeq, seq).some(({ fact: { type } }) => type === "history.published")
  if (!refused && (!overtaken || fact.pass !== "hold")) checkSlots(state, left)
}

function broken(rule: string, check: () => void): readonly string[] {
  try {
    check()
    return []
  } catch (error) {
    // What else is thrown is a fault of the harness.
    if (error instanceof Broken) return [`[${rule}] ${error.message}`]
    throw error
  }
}

/** Sessions of jobs that nobody ended. */
export function judgeLostJobs(file: string): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  const jobs = database.prepare("SELECT id FROM session WHERE kind = 'job'").all()
  database.close()
  return jobs.map(({ id }) => `[HI1] the job ${String(id)} was never settled`)
}
