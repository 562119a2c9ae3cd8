/**
 * Own result: what became of one prompt, where its Session was given others beside it.
 *
 * The runtime tells what became of the newest input. A prompt that came before it has its own turns:
 *
 *   promoted ─▶ turn … turn that does not continue ─▶ (another promoted) ─▶ turns of the other
 *        └─ a steer on the way joins: the turns that follow answer both
 *
 * Pure: it is read from the durable events since the run began.
 */
import { addSpent, spentBy, spentNone } from "@holdfast/schema/model"
import type { Fact } from "@holdfast/schema/event"
import { declinedIn } from "@holdfast/schema/state/declined"
import type { Event, FactOf, RunResult } from "@holdfast/sdk"

interface OwnTurn {
  readonly started: FactOf<"turn.started">
  readonly texts: readonly string[]
  readonly settled: FactOf<"turn.settled"> | null
}

/** `result` is that of the newest input; it is also the prompt's own where no other came behind it. */
export function ownResult(result: RunResult, prompt: string, events: readonly Event[]): RunResult {
  const { turns, closed, facts } = turnsOf(prompt, events)
  const last = turns.at(-1)
  if (last === undefined) return result
  const { declined: _, ...rest } = result
  const declined = declinedIn(facts as readonly Fact[])
  return {
    ...rest,
    ...(closed && last.settled !== null ? outcomeOf(last.settled) : {}),
    prompt: prompt as NonNullable<RunResult["prompt"]>,
    turns: turns.length,
    text: last.texts.join("\n\n"),
    ...turns.map(({ settled }) => spentBy(settled)).reduce(addSpent, spentNone),
    model: last.started.model,
    ...(declined.length > 0 && { declined }),
  }
}

/** Whether it is answered, and its Session has gone on with another prompt since. */
export function isAnswered(prompt: string, events: readonly Event[]): boolean {
  const { turns, closed } = turnsOf(prompt, events)
  return closed && turns.at(-1)?.settled?.status === "done"
}

/** What became of a prompt that is over, while its Session still runs. */
export const overResult = (session: string, prompt: string, events: readonly Event[]): RunResult =>
  ownResult(
    {
      ...spentNone,
      status: "done",
      reason: null,
      session: session as RunResult["session"],
      prompt: null,
      turns: 0,
      text: "",
      model: null,
    },
    prompt,
    events,
  )

/** `closed`: another prompt was taken after the last of them, so the end of the drain is not theirs. */
function turnsOf(
  prompt: string,
  events: readonly Event[],
): {
  readonly turns: readonly OwnTurn[]
  readonly closed: boolean
  readonly facts: readonly Event["fact"][]
} {
  const turns: OwnTurn[] = []
  const facts: Event["fact"][] = []
  let promoted = false
  for (const { fact } of events) {
    if (fact.type === "prompt.promoted" && fact.prompt === prompt) promoted = true
    if (!promoted) continue
    const last = turns.at(-1)
    const over = last !== undefined && last.settled !== null && last.settled.status !== "continue"
    if (fact.type === "prompt.promoted" && over) return { turns, closed: true, facts }
    facts.push(fact)
    if (fact.type === "turn.started") turns.push({ started: fact, texts: [], settled: null })
    if (last === undefined) continue
    if (fact.type === "part.recorded" && fact.turn === last.started.turn && fact.part.type === "text")
      turns[turns.length - 1] = { ...last, texts: [...last.texts, fact.part.text] }
    if (fact.type === "turn.settled" && fact.turn === last.started.turn)
      turns[turns.length - 1] = { ...last, settled: fact }
  }
  return { turns, closed: false, facts }
}

function outcomeOf({ status, reason }: FactOf<"turn.settled">): Pick<RunResult, "status" | "reason"> {
  return status === "failed" || status === "interrupted"
    ? { status, reason }
    : { status: "done", reason: null }
}
